// Operations of the OpenAPI document as HTML, each with a form to try it, and its named shapes.

import type { DescribedOperation } from "../http/openapi/document.ts";
import type { PublishedSchema } from "../http/openapi/published-schema.ts";
import type { Answer } from "../http/openapi/responses.ts";
import { escapeHtml, inline, table } from "../tools/html.ts";

export interface ListedOperation {
  method: string;
  path: string;
  operation: DescribedOperation;
}

export function navigationItem({ method, path, operation }: ListedOperation): string {
  return `<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${escapeHtml(path)}</a></li>`;
}

/** Follows references inside the document. */
export interface Resolve {
  example(schema: PublishedSchema): unknown;
  answer(answer: Answer | { $ref: string }): Answer;
}

export function renderOperation(
  { method, path, operation }: ListedOperation,
  { example, answer }: Resolve,
): string {
  const { operationId, summary = "", description = "", parameters, requestBody, responses } = operation;
  const access = operation.security[0]?.bearerAuth[0];
  const body = requestBody?.content["application/json"]?.schema;
  const answers = Object.entries(responses).map(([status, given]) => {
    const { description: meaning, content, headers } = answer(given);
    const shape = content?.["application/json"]?.schema;
    const names = Object.keys(headers).map((name) => `<code>${name}</code>`);
    return [status, inline(meaning), shape ? typeOf(shape) : "", names.join(", ")];
  });
  return `<section id="${operationId}">
<h3><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}${operation.deprecated ? " <mark>deprecated</mark>" : ""}</h3>
<p>${inline(description)} Needs access <code>${access}</code>. Operation <code>${operationId}</code>.</p>
${parameters.length > 0 ? table(["Parameter", "Type", "Meaning"], parameters.map(parameterRow)) : ""}
${body ? `<p>Body: ${typeOf(body)}, for example</p>\n<pre>${escapeHtml(JSON.stringify(example(body), null, 2))}</pre>` : ""}
<details><summary>Responses</summary>${table(["Status", "Meaning", "Body", "Headers"], answers)}</details>
<details><summary>Try it</summary>
<form class="try" data-method="${method}" data-path="${escapeHtml(path)}">
${parameters.map(({ name, in: place, required }) => `<label>${escapeHtml(name)} <input name="${escapeHtml(name)}" data-in="${place}"${required ? " required" : ""}></label>`).join("\n")}
${body ? `<label>Body <textarea name="body" rows="5">${escapeHtml(JSON.stringify(example(body), null, 2))}</textarea></label>` : ""}
<button>Send</button>
<pre class="answer" aria-live="polite" hidden></pre>
</form></details>
</section>`;
}

type Parameter = DescribedOperation["parameters"][number];

function parameterRow({ name, in: place, required, description = "", schema }: Parameter): string[] {
  const note = required ? `${place}, required` : place;
  return [`<code>${escapeHtml(name)}</code> <small>${note}</small>`, typeOf(schema), inline(description)];
}

export function renderShape([name, schema]: [string, PublishedSchema]): string {
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

function typeOf(schema: PublishedSchema): string {
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

export function exampleOf(
  schema: PublishedSchema | undefined,
  schemas: Record<string, PublishedSchema>,
): unknown {
  const target = schema?.$ref === undefined ? schema : schemas[nameOf(schema.$ref)];
  return target?.examples?.[0];
}

export function nameOf($ref: string): string {
  return $ref.replace(/^.*\//, "");
}
