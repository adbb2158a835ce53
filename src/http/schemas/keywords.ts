// The part of JSON Schema that schemas may use. A test refuses any other keyword: it would be published, not enforced.

import type { ErrorCode } from "../../domain/basics/errors.ts";
import type { Limits } from "../../domain/keys/plan.ts";

export interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  pattern?: string;
  maxLength?: number;
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
  /** A string that holds JSON of this shape; its reader enforces it. */
  contentMediaType?: "application/json";
  contentSchema?: Schema;
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

/** Throws for a schema that the validator does not know. */
export function kindOf({ type, format, enum: values, anyOf, additionalProperties }: Schema) {
  if (anyOf !== undefined) return "union";
  if (typeof additionalProperties === "object") return "map";
  if (type === "integer") return format === "int64" ? "int64" : "integer";
  if (type === "string" && format === "date-time") return "time";
  if (type === "string" && format === "date") return "day";
  if (type === "string") return values === undefined ? "string" : "enum";
  if (type === "number") return type;
  if (type === "object" || type === "array" || type === "boolean" || type === "null") return type;
  throw new Error(`A schema of type ${type} is not supported`);
}
