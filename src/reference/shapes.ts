// Schemas of the OpenAPI document as HTML: the type of a value, and a section for each named shape.

import type { PublishedSchema as Schema } from "../http/openapi/published-schema.ts";
import { escapeHtml, inline, table } from "../tools/html.ts";

export function renderShape([name, schema]: [string, Schema]): string {
  const rows = Object.entries(schema.properties ?? {}).map(([member, each]) => {
    const isRequired = schema.required?.includes(member);
    return [
      `<code>${member}</code>${isRequired ? "" : " <small>optional</small>"}`,
      typeOf(each),
      inline(each.description ?? ""),
    ];
  });
  const body =
    rows.length > 0
      ? table(["Member", "Type", "Meaning"], rows)
      : `<p>${typeOf({ ...schema, title: "" })}</p>`;
  return `<section id="shape-${name}"><h3>${name}</h3>\n<p>${inline(schema.description ?? "")}</p>\n${body}</section>`;
}

export function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, enum: values, type = "", format, minimum, maximum } = schema;
  if ($ref !== undefined) {
    const name = nameOf($ref);
    return `<a href="#shape-${name}">${name}</a>`;
  }
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (schema.properties !== undefined) {
    return `object of ${Object.keys(schema.properties)
      .map((name) => `<code>${name}</code>`)
      .join(", ")}`;
  }
  if (items !== undefined) return `array of ${typeOf(items)}`;
  if (values !== undefined) return values.map((value) => `<code>${escapeHtml(value)}</code>`).join(", ");
  const range = minimum !== undefined && maximum !== undefined ? ` from ${minimum} to ${maximum}` : "";
  const fallback = schema.default === undefined ? "" : `, default ${escapeHtml(String(schema.default))}`;
  return `${type}${format ? ` (${format})` : ""}${range}${fallback}`;
}

export function exampleOf(schema: Schema | undefined, schemas: Record<string, Schema>): unknown {
  const target = schema?.$ref === undefined ? schema : schemas[nameOf(schema.$ref)];
  return target?.examples?.[0];
}

export function nameOf($ref: string): string {
  return $ref.replace(/^.*\//, "");
}
