// The type of a schema in words, with links to named shapes.

import { linesPattern, namePattern, textPattern } from "../domain/basics/text.ts";
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

/** Limits that the type does not have, unless the meaning names them. Empty if there are none. */
export function limitsOf(schema: PublishedSchema, meaning: string): string {
  const { minimum, maximum, maxItems, items } = schema;
  const isRange = minimum !== undefined && maximum !== undefined;
  const limits = [
    describeLength(schema),
    isRange || minimum === undefined ? undefined : { words: `at least ${format(minimum)}`, max: minimum },
    isRange || maximum === undefined ? undefined : { words: `at most ${format(maximum)}`, max: maximum },
    maxItems === undefined ? undefined : { words: `at most ${format(maxItems)} items`, max: maxItems },
  ];
  const own = limits.flatMap((limit) =>
    limit === undefined || hasNumber(meaning, limit.max) ? [] : [limit.words],
  );
  const each = items === undefined ? "" : limitsOf(items, meaning);
  return [...own, ...(each === "" ? [] : [`each ${each}`])].join(", ");
}

/** The patterns of texts are built from their lengths, so they say which one it is. */
function describeLength({ pattern = "", maxLength }: PublishedSchema) {
  if (maxLength !== undefined) return { words: `at most ${format(maxLength)} characters`, max: maxLength };
  const repeated = Number(/\{0,(\d+)\}/.exec(pattern)?.[1]);
  if (pattern === namePattern(repeated + 2))
    return { words: `1 to ${format(repeated + 2)} characters`, max: repeated + 2 };
  const isText = [textPattern(repeated), linesPattern(repeated)].includes(pattern);
  return isText ? { words: `at most ${format(repeated)} characters`, max: repeated } : undefined;
}

function hasNumber(text: string, wanted: number): boolean {
  const numbers = text.match(/\d[\d,]*/g) ?? [];
  return numbers.some((number) => number.replaceAll(",", "") === String(wanted));
}

function format(count: number): string {
  return count.toLocaleString("en");
}

export function listCodes(names: string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** The last part of a reference inside the document. */
export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
