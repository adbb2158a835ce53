// The type of a schema in words, with links to named shapes.

import type { PublishedSchema } from "../http/openapi/published-schema.ts";

export function typeOf(schema: PublishedSchema): string {
  const { $ref, anyOf, items, enum: values, type = "", format, minimum, maximum } = schema;
  if ($ref !== undefined) return `[${nameOf($ref)}](#shape-${nameOf($ref)})`;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (schema.properties !== undefined) return `object of ${listCodes(Object.keys(schema.properties))}`;
  if (schema.additionalProperties !== undefined)
    return `object of ${typeOf(schema.additionalProperties)} by name`;
  if (items !== undefined) return `array of ${typeOf(items)}`;
  if (values !== undefined) return listCodes(values);
  const range = minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}` : "";
  const fallback = schema.default === undefined ? "" : `, default ${schema.default}`;
  return `${type}${format ? ` (${format})` : ""}${range}${fallback}`;
}

export function listCodes(names: string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** The last part of a reference inside the document. */
export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
