// The members of a JSON body, one row each: those of an inner object follow it, with its name before theirs.

import type { OpenApiDocument } from "../http/openapi/document.ts";
import type { PublishedSchema } from "../http/openapi/published-schema.ts";
import { limitsOf, nameOf, typeOf } from "./schema-type.ts";

type Schemas = OpenApiDocument["components"]["schemas"];

export interface BodyField {
  /** `address.city` for a member of an inner object. */
  name: string;
  isRequired: boolean;
  /** With its limits. */
  type: string;
  meaning: string;
}

export function listBodyFields(body: PublishedSchema, schemas: Schemas, before = ""): BodyField[] {
  const { properties = {}, required = [] } = resolve(body, schemas);
  return Object.entries(properties).flatMap(([member, given]) => {
    const name = `${before}${member}`;
    const field = { name, isRequired: required.includes(member), ...describeMember(given, schemas) };
    return [field, ...listBodyFields(withoutNull(given), schemas, `${name}.`)];
  });
}

/** Type, limits and values, and what the member means. */
function describeMember(given: PublishedSchema, schemas: Schemas): Pick<BodyField, "type" | "meaning"> {
  const inner = withoutNull(given);
  const meaning = given.description ?? inner.description ?? "";
  const { enum: values } = resolve(inner, schemas);
  const listed = inner.$ref !== undefined && values !== undefined ? `: ${typeOf({ enum: values })}` : "";
  const limits = limitsOf(resolve(inner, schemas), meaning);
  return { type: `${typeOf(given)}${listed}${limits === "" ? "" : `, ${limits}`}`, meaning };
}

/** What a member is if it is not null, which removes it. */
function withoutNull(schema: PublishedSchema): PublishedSchema {
  return (schema.anyOf as PublishedSchema[] | undefined)?.find(({ type }) => type !== "null") ?? schema;
}

function resolve(schema: PublishedSchema, schemas: Schemas): PublishedSchema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? schema);
}
