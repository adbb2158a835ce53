// The part of JSON Schema that schemas may use. Another keyword prevents the start: it would be published, not enforced.

import type { ErrorCode } from "../../domain/basics/errors.ts";
import type { Limits } from "../../domain/keys/plan.ts";

export interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  minProperties?: number;
  /** The schema of every member, whose names are the caller's own. */
  additionalProperties?: Schema;
  propertyNames?: Schema;
  maxProperties?: number;
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  /** Allowed transitions of a status, for programs; the domain enforces them. */
  "x-transitions"?: Record<string, readonly string[]>;
  /** The limits of each plan, for programs. */
  "x-limits"?: Record<string, Limits>;
  /** Words for the fault message: "name must be …". */
  "x-allowed"?: string;
  /** On a path: the error for an identifier that is no int64. */
  "x-missing"?: ErrorCode;
}

/** These describe a value and restrict nothing. */
const ANNOTATIONS = ["title", "description", "default", "examples", "x-allowed"];

const KEYWORDS = {
  object: ["type", "properties", "required", "minProperties", "x-missing"],
  map: ["type", "additionalProperties", "propertyNames", "maxProperties"],
  array: ["type", "items", "maxItems"],
  union: ["anyOf"],
  null: ["type"],
  boolean: ["type"],
  int64: ["type", "format"],
  integer: ["type", "minimum", "maximum"],
  time: ["type", "format"],
  day: ["type", "format"],
  enum: ["type", "enum", "x-transitions", "x-limits"],
  string: ["type", "pattern"],
} as const satisfies Record<string, Array<keyof Schema>>;

/** Keywords that only the validation of these parts of a request enforces. A query parameter is published as optional. */
const PARTS: Partial<Record<keyof Schema, string[]>> = {
  required: ["body", "params"],
  minProperties: ["body"],
  "x-missing": ["params"],
};

type SchemaKind = keyof typeof KEYWORDS;

export function kindOf({ type, format, enum: values, anyOf, additionalProperties }: Schema): SchemaKind {
  if (anyOf !== undefined) return "union";
  if (typeof additionalProperties === "object") return "map";
  if (type === "integer") return format === "int64" ? "int64" : "integer";
  if (type === "string" && format === "date-time") return "time";
  if (type === "string" && format === "date") return "day";
  if (type === "string") return values === undefined ? "string" : "enum";
  if (type === "object" || type === "array" || type === "boolean" || type === "null") return type;
  throw new Error(`A schema of type ${type} is not supported`);
}

/** `refuseUnknownKeywords`, and throws for a keyword that is not enforced in this part of a request. */
export function refuseUnenforcedKeywords(schema: Schema, part: string, path: string): void {
  refuseUnknownKeywords(schema, path);
  for (const [keyword, parts] of Object.entries(PARTS))
    if (keyword in schema && !parts.includes(part))
      throw new Error(`${path}: schema keyword ${keyword} is not supported there`);
}

/** Throws for a keyword that is unknown, or has no effect on its kind of schema, at any level. */
export function refuseUnknownKeywords(schema: Schema, path: string): void {
  const known: string[] = [...ANNOTATIONS, ...KEYWORDS[kindOf(schema)]];
  const unknown = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  if (unknown.length > 0) throw new Error(`${path}: schema keyword ${unknown.join(", ")} is not supported`);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    refuseUnknownKeywords(member, `${path}.${name}`);
  for (const each of schema.anyOf ?? []) refuseUnknownKeywords(each, path);
  if (schema.items !== undefined) refuseUnknownKeywords(schema.items, `${path}[]`);
  for (const each of [schema.additionalProperties, schema.propertyNames])
    if (each !== undefined) refuseUnknownKeywords(each, `${path}.*`);
}
