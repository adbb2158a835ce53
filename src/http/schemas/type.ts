// Schema builders: JSON Schema as plain objects, with the types of TypeBox.

import type Typebox from "typebox";

type Builders = Pick<
  typeof Typebox,
  "Array" | "Boolean" | "Integer" | "Null" | "Object" | "Optional" | "String" | "Union" | "Unsafe"
>;
type Shape = Record<string, unknown>;

/** Marks optional members; not part of the published schema. */
const OPTIONAL = Symbol("optional");

function object(members: Record<string, Shape>, options: Shape = {}): Shape {
  const required = Object.keys(members).filter((name) => !(OPTIONAL in (members[name] as Shape)));
  return { type: "object", ...(required.length > 0 && { required }), properties: members, ...options };
}

/** Builds the same objects as TypeBox, of which only the types are used: loading it takes 0.15 s of every start. */
export const Type = {
  Array: (items: Shape, options: Shape = {}) => ({ type: "array", items, ...options }),
  Boolean: (options: Shape = {}) => ({ type: "boolean", ...options }),
  Integer: (options: Shape = {}) => ({ type: "integer", ...options }),
  Null: (options: Shape = {}) => ({ type: "null", ...options }),
  Object: object,
  Optional: (shape: Shape) => ({ ...shape, [OPTIONAL]: true }),
  String: (options: Shape = {}) => ({ type: "string", ...options }),
  Union: (anyOf: Shape[], options: Shape = {}) => ({ anyOf, ...options }),
  Unsafe: (shape: Shape) => shape,
} as unknown as Builders;
