// Schemas as the OpenAPI document shows them.

import { COMPONENTS } from "../schemas/components.ts";
import type { Schema } from "../schemas/keywords.ts";

export type PublishedSchema = Schema & { $ref?: string };

/** Keywords for the validator alone. */
const PRIVATE_KEYWORDS = ["x-allowed", "x-missing"];

/** Named schemas become references unless `isInline`. */
export function publishSchema(schema: Schema, isInline = false): PublishedSchema {
  const { title, default: fallback } = schema;
  // Compared by title, not by identity: Type.Optional copies a schema.
  if (!isInline && COMPONENTS.some((component) => (component as Schema).title === title)) {
    return { $ref: `#/components/schemas/${title}`, ...(fallback !== undefined && { default: fallback }) };
  }
  const members = Object.entries(schema).filter(([name]) => !PRIVATE_KEYWORDS.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === "examples" ? member : publishMember(member)]),
  );
}

function publishMember(member: unknown): unknown {
  if (Array.isArray(member)) return member.map(publishMember);
  return typeof member === "object" && member !== null ? publishSchema(member) : member;
}

export function publishComponents(): Record<string, PublishedSchema> {
  const published = (COMPONENTS as Schema[]).map((schema) => [schema.title, publishSchema(schema, true)]);
  return Object.fromEntries(published);
}
