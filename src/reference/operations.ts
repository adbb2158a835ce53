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

/** Follows a reference inside the document. */
export type Resolve = (answer: Answer | { $ref: string }) => Answer;

export function renderOperation({ method, path, operation }: ListedOperation, resolve: Resolve): string {
  const { operationId, summary = "", description = "", parameters, requestBody, responses } = operation;
  const access = operation.security[0]?.bearerAuth[0];
  const body = requestBody?.content["application/json"];
  const fileTypes = body === undefined ? Object.keys(requestBody?.content ?? {}) : [];
  const answers = Object.entries(responses).map(([status, given]) => ({ status, ...resolve(given) }));
  return `<section id="${operationId}">
<h3><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}${operation.deprecated ? " <mark>deprecated</mark>" : ""}</h3>
<p>${inline(description)} Needs access <code>${access}</code>. Operation <code>${operationId}</code>.</p>
${parameters.length > 0 ? table(["Parameter", "Type", "Meaning"], parameters.map(parameterRow)) : ""}
${body ? `<p>Body: ${typeOf(body.schema)}, for example</p>\n<pre>${showExample(body.example)}</pre>` : ""}
${fileTypes.length > 0 ? `<p>Body: a file, ${fileTypes.map((type) => `<code>${type}</code>`).join(" or ")}</p>` : ""}
${answers.map(renderExample).join("")}
<details><summary>Responses</summary>${table(["Status", "Meaning", "Body", "Headers"], answers.map(answerRow))}</details>
<details><summary>Try it</summary>
<form class="try" data-method="${method}" data-path="${escapeHtml(path)}">
${parameters.map(renderInput).join("\n")}
${body ? `<label>Body <textarea name="body" rows="5">${showExample(body.example)}</textarea></label>` : ""}
${fileTypes.length > 0 ? `<label>Body <input type="file" name="body" accept="${fileTypes.join(",")}"></label>` : ""}
<button>Send</button>
<pre class="answer" aria-live="polite" hidden></pre>
</form></details>
</section>`;
}

type ListedAnswer = Answer & { status: string };

/** Only a success has one example; an error has one for each code. */
function renderExample({ status, content }: ListedAnswer): string {
  const { schema, example } = contentOf(content);
  if (schema === undefined || example === undefined) return "";
  return `<p>Response ${status}: ${typeOf(schema)}, for example</p>\n<pre>${showExample(example)}</pre>\n`;
}

function showExample(example: unknown): string {
  return escapeHtml(typeof example === "string" ? example : JSON.stringify(example, null, 2));
}

/** A response has one media type. */
function contentOf(content: ListedAnswer["content"]): Partial<NonNullable<ListedAnswer["content"]>[string]> {
  return Object.values(content ?? {})[0] ?? {};
}

function answerRow({ status, description, content, headers }: ListedAnswer): string[] {
  const shape = contentOf(content).schema;
  const names = Object.keys(headers).map((name) => `<code>${name}</code>`);
  return [status, inline(description), shape ? typeOf(shape) : "", names.join(", ")];
}

type Parameter = DescribedOperation["parameters"][number];

function parameterRow({ name, in: place, required, description = "", schema }: Parameter): string[] {
  const note = required ? `${place}, required` : place;
  return [`<code>${escapeHtml(name)}</code> <small>${note}</small>`, typeOf(schema), inline(description)];
}

function renderInput({ name, in: place, required, example }: Parameter): string {
  const shown = `placeholder="${escapeHtml(String(example))}"`;
  return `<label>${escapeHtml(name)} <input name="${escapeHtml(name)}" data-in="${place}" ${shown}${required ? " required" : ""}></label>`;
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

export function nameOf($ref: string): string {
  return $ref.replace(/^.*\//, "");
}
