// Schema builders: JSON Schema as plain objects, with the types of TypeBox.

import type Typebox from "typebox";
import type { Static, TProperties, TSchema } from "typebox";

type Builders = Pick<
  typeof Typebox,
  "Array" | "Boolean" | "Integer" | "Null" | "Number" | "Object" | "Optional" | "String" | "Union" | "Unsafe"
>;
type Shape = Record<string, unknown>;

/** Marks optional members; not part of the published schema. */
const OPTIONAL = Symbol("optional");

function object(members: Record<string, Shape>, options: Shape = {}): Shape {
  const required = Object.keys(members).filter((name) => !(OPTIONAL in (members[name] as Shape)));
  return { type: "object", ...(required.length > 0 && { required }), properties: members, ...options };
}

/** Builds the same objects as TypeBox, of which only the types are used: loading it takes 0.15 s of every start. */
const BASICS = {
  Array: (items: Shape, options: Shape = {}) => ({ type: "array", items, ...options }),
  Boolean: (options: Shape = {}) => ({ type: "boolean", ...options }),
  Integer: (options: Shape = {}) => ({ type: "integer", ...options }),
  Null: (options: Shape = {}) => ({ type: "null", ...options }),
  Number: (options: Shape = {}) => ({ type: "number", ...options }),
  Object: object,
  Optional: (shape: Shape) => ({ ...shape, [OPTIONAL]: true }),
  String: (options: Shape = {}) => ({ type: "string", ...options }),
  Union: (anyOf: Shape[], options: Shape = {}) => ({ anyOf, ...options }),
  Unsafe: (shape: Shape) => shape,
} as unknown as Builders;

export const Type = {
  ...BASICS,

  Enum: <const V extends string>(values: readonly V[], options: object = {}) =>
    BASICS.Unsafe<V>({ type: "string", enum: [...values], ...options }),

  Nullable: <T extends TSchema>(schema: T) => BASICS.Union([schema, BASICS.Null()]),

  /** An object with a name in the document. */
  Named: <T extends TProperties>(title: string, description: string, examples: unknown[], members: T) =>
    BASICS.Object(members, { title, description, examples }),

  /** A named object that only occurs inside others, which have the examples. */
  Part: <T extends TProperties>(title: string, description: string, members: T) =>
    BASICS.Object(members, { title, description }),

  /** An object whose members have names of the caller's own. */
  Map: (propertyNames: TSchema, additionalProperties: TSchema, options: object) =>
    BASICS.Unsafe<Record<string, string | null>>({
      type: "object",
      propertyNames,
      additionalProperties,
      ...options,
    }),

  /** A named object of changes, at least one. */
  Patch: <T extends TProperties>(title: string, description: string, examples: unknown[], members: T) =>
    BASICS.Object(members, { title, minProperties: 1, description, examples }),

  /** An array with a name in the document. */
  List: <T extends TSchema>(title: string, description: string, items: T, examples?: unknown[]) =>
    BASICS.Array(items, { title, description, ...(examples && { examples }) }),

  /** A copy with other annotations. Beside the reference to a named schema, the document shows the description only. */
  Annotated: <T extends TSchema>(
    schema: T,
    annotations: { description?: string; examples?: unknown[]; "x-allowed"?: string },
  ) => BASICS.Unsafe<Static<T>>({ ...schema, ...annotations }),

  Described: <T extends TSchema>(schema: T, description: string) =>
    BASICS.Unsafe<Static<T>>({ ...schema, description }),
};
