// The named schemas of the OpenAPI document, and schemas as it shows them.

import { ERRORS } from "../../domain/basics/errors.ts";
import { AUDIT_COMPONENTS } from "../schemas/audit.ts";
import { CATEGORY_COMPONENTS } from "../schemas/categories.ts";
import { EVENT_COMPONENTS } from "../schemas/events.ts";
import { EXPORT_COMPONENTS } from "../schemas/exports.ts";
import { IMPORT_COMPONENTS } from "../schemas/imports.ts";
import { KEY_COMPONENTS } from "../schemas/keys.ts";
import type { Schema } from "../schemas/keywords.ts";
import { LISTING_COMPONENTS } from "../schemas/listings.ts";
import { ORDER_COMPONENTS } from "../schemas/orders.ts";
import { PEOPLE_COMPONENTS } from "../schemas/people.ts";
import { PET_COMPONENTS } from "../schemas/pets.ts";
import { PHOTO_COMPONENTS } from "../schemas/photos.ts";
import { PROFILE_COMPONENTS } from "../schemas/profiles.ts";
import { SHELTER_COMPONENTS } from "../schemas/shelters.ts";
import { SITE_COMPONENTS } from "../schemas/site.ts";
import { TRAFFIC_COMPONENTS } from "../schemas/traffic.ts";
import { Type } from "../schemas/type.ts";
import { WEBHOOK_COMPONENTS } from "../schemas/webhooks.ts";

export type PublishedSchema = Schema & { $ref?: string };

const ErrorBody = Type.Part("Error", "The body of every response that is neither 2xx nor 304.", {
  code: Type.Enum(Object.keys(ERRORS), { description: "Machine-readable error code." }),
  message: Type.String({ description: "Human-readable description." }),
  status: Type.Integer({ description: "The HTTP status code." }),
});

const COMPONENTS = [
  ...PET_COMPONENTS,
  ...LISTING_COMPONENTS,
  ...PROFILE_COMPONENTS,
  ...PHOTO_COMPONENTS,
  ...IMPORT_COMPONENTS,
  ...EXPORT_COMPONENTS,
  ...ORDER_COMPONENTS,
  ...CATEGORY_COMPONENTS,
  ...SHELTER_COMPONENTS,
  ...SITE_COMPONENTS,
  ...EVENT_COMPONENTS,
  ...WEBHOOK_COMPONENTS,
  ...KEY_COMPONENTS,
  ...PEOPLE_COMPONENTS,
  ...TRAFFIC_COMPONENTS,
  ...AUDIT_COMPONENTS,
  ErrorBody,
] as Schema[];

/** Keywords for the validator alone. */
const PRIVATE_KEYWORDS = ["x-allowed", "x-missing"];

/** Named schemas become references unless `isInline`. */
export function publishSchema(schema: Schema, isInline = false): PublishedSchema {
  const { title, description } = schema;
  // Compared by title, not by identity: Type.Optional copies a schema.
  const component = isInline ? undefined : COMPONENTS.find((each) => each.title === title);
  if (component !== undefined) {
    const isOwn = description !== component.description;
    return { $ref: `#/components/schemas/${title}`, ...(isOwn && { description }) };
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

/** Without the examples, which are at the media types: there they differ by operation. */
export function publishComponents(): Record<string, PublishedSchema> {
  const published = COMPONENTS.map(({ examples, ...schema }) => [schema.title, publishSchema(schema, true)]);
  return Object.fromEntries(published);
}
