// Schemas as the OpenAPI document shows them.

import { COMPONENTS } from "../schemas/components.ts";

/** Keywords for the validator alone. */
const PRIVATE_KEYWORDS = ["x-allowed", "x-missing"];

/** Named schemas become references unless `isInline`. */
export function publishSchema(schema: unknown, isInline = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => publishSchema(each));
  if (typeof schema !== "object" || schema === null) return schema;
  // Compared by title, not by identity: Type.Optional copies a schema.
  const isNamed = COMPONENTS.some((component) => titleOf(component) === titleOf(schema));
  if (isNamed && !isInline) {
    const { default: fallback } = schema as { default?: unknown };
    return {
      $ref: `#/components/schemas/${titleOf(schema)}`,
      ...(fallback !== undefined && { default: fallback }),
    };
  }
  const members = Object.entries(schema).filter(([name]) => !PRIVATE_KEYWORDS.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === "examples" ? member : publishSchema(member)]),
  );
}

export function publishComponents(): Record<string, unknown> {
  return Object.fromEntries(COMPONENTS.map((schema) => [titleOf(schema), publishSchema(schema, true)]));
}

function titleOf(schema: unknown): string {
  return (schema as { title: string }).title;
}
