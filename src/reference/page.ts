// The reference page: plain HTML from the OpenAPI document, readable without a script.

import { ERRORS } from "../domain/errors.ts";
import {
  BAN_FIRST_MS,
  BAN_MAX_MS,
  BAN_MEMORY_MS,
  REFUSALS_GRACE_MS,
  REFUSALS_MIN,
  REFUSALS_WINDOW_MS,
} from "../domain/keys/limits.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { formatDuration } from "../domain/time.ts";
import type { OpenApiDocument } from "../http/openapi/document.ts";
import { escapeHtml, inline, table } from "../tools/html.ts";
import { describeGuides, type Guide } from "./guides.ts";

interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  description?: string;
  $ref?: string;
  items?: Schema;
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  examples?: unknown[];
  title?: string;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Answer {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: Schema }>;
}

interface DescribedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: [{ bearerAuth: [string] }];
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer | { $ref: string }>;
}

interface Listed {
  method: string;
  path: string;
  operation: DescribedOperation;
}

export function renderReference(document: OpenApiDocument): string {
  const { info, servers, tags, components } = document as unknown as {
    info: { title: string; version: string; description: string };
    servers: Array<{ url: string; description: string }>;
    tags: Array<{ name: string; description: string }>;
    components: { schemas: Record<string, Schema>; responses: Record<string, Answer> };
  };
  const listed: Listed[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as unknown as DescribedOperation,
    })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    listed: listed.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const guides = describeGuides(servers[0]?.url ?? "");
  const resolve: Resolve = {
    example: (schema) => exampleOf(schema, components.schemas),
    answer: (answer) => ("$ref" in answer ? (components.responses[nameOf(answer.$ref)] as Answer) : answer),
  };

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/reference.css">
<script src="docs/reference.js" defer></script>
</head>
<body>
<nav aria-label="Contents">
<strong>${escapeHtml(info.title)}</strong> <small>${escapeHtml(info.version)}</small>
<ul>
<li>Guides<ul>${guides.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join("")}</ul></li>
${groups.map((group) => `<li>${escapeHtml(group.name)}<ul>${group.listed.map(navigationItem).join("")}</ul></li>`).join("\n")}
<li><a href="#shapes">Shapes</a></li>
<li><a href="#limits">Limits</a></li>
<li><a href="#errors">Errors</a></li>
</ul>
</nav>
<main>
<h1>${escapeHtml(info.title)}</h1>
${info.description
  .split("\n\n")
  .map((paragraph) => `<p>${inline(paragraph)}</p>`)
  .join("\n")}
<p>Base address: ${servers.map(({ url, description }) => `<code>${escapeHtml(url)}</code> (${escapeHtml(description)})`).join(", ")}.
The same as a document for programs: <a href="openapi.json">openapi.json</a>, <a href="openapi.yaml">openapi.yaml</a>.</p>
<form id="key-form"><label for="key">API key for trying things out; kept in this tab only</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="ask_live_…"></form>
<h2>Guides</h2>
${guides.map(renderGuide).join("\n")}
${groups.map((group) => `<h2>${escapeHtml(group.name)}</h2>\n<p>${inline(group.description)}</p>\n${group.listed.map((each) => renderOperation(each, resolve)).join("\n")}`).join("\n")}
<h2 id="shapes">Shapes</h2>
${Object.entries(components.schemas).map(renderShape).join("\n")}
<h2 id="limits">Limits</h2>
<p>Every key has two windows, one of a minute and one of a day. Each begins with the first request that it counts. A request
that either refuses is charged to neither; <code>Retry-After</code> says when to come back. More refusals within
${formatDuration(REFUSALS_WINDOW_MS)} than the plan has requests per minute, and more than ${REFUSALS_MIN}, ban the key for
${formatDuration(BAN_FIRST_MS)}. Each further ban within ${formatDuration(BAN_MEMORY_MS)} lasts twice as long, up to
${formatDuration(BAN_MAX_MS)}. Refusals within ${formatDuration(REFUSALS_GRACE_MS)} of the first refusal of a window do not count.
During a ban <code>Retry-After</code> gives its end. Requests without a valid key are counted per client address:
${PLANS.free.perMinute} per minute.</p>
${table(["Plan", "Requests per minute", "Requests per day"], planRows())}
<h2 id="errors">Errors</h2>
<p>The body is always <code>{"code", "message", "status"}</code>. This list is closed.</p>
${table(
  ["Code", "Status", "Meaning"],
  Object.entries(ERRORS).map(([code, { status, message }]) => [
    `<code>${code}</code>`,
    String(status),
    escapeHtml(message),
  ]),
)}
</main>
</body>
</html>
`;
}

function renderGuide({ id, title, parts }: Guide): string {
  const rendered = parts.map((part) =>
    typeof part === "string" ? `<p>${inline(part)}</p>` : `<pre>${escapeHtml(part.code)}</pre>`,
  );
  return `<section id="${id}"><h3>${escapeHtml(title)}</h3>\n${rendered.join("\n")}</section>`;
}

function planRows(): string[][] {
  return Object.entries(PLANS).map(([plan, { perMinute, perDay }]) => {
    const own = plan === "enterprise" ? " unless the key has its own" : "";
    return [plan, `${perMinute.toLocaleString("en")}${own}`, `${perDay.toLocaleString("en")}${own}`];
  });
}

function navigationItem({ method, path, operation }: Listed): string {
  return `<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${escapeHtml(path)}</a></li>`;
}

/** What stands behind a reference. */
interface Resolve {
  example(schema: Schema | undefined): unknown;
  answer(answer: Answer | { $ref: string }): Answer;
}

function renderOperation({ method, path, operation }: Listed, { example, answer }: Resolve): string {
  const {
    operationId,
    summary,
    description = "",
    deprecated,
    parameters,
    requestBody,
    responses,
  } = operation;
  const [{ bearerAuth }] = operation.security;
  const body = requestBody?.content["application/json"]?.schema;
  const answers = Object.entries(responses).map(([status, given]) => {
    const { description: meaning, content, headers = {} } = answer(given);
    const shape = content?.["application/json"]?.schema;
    const names = Object.keys(headers).map((name) => `<code>${name}</code>`);
    return [status, inline(meaning), shape ? typeOf(shape) : "", names.join(", ")];
  });
  return `<section id="${operationId}">
<h3><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}${deprecated ? " <mark>deprecated</mark>" : ""}</h3>
<p>${inline(description)} Needs access <code>${bearerAuth}</code>. Operation <code>${operationId}</code>.</p>
${parameters.length > 0 ? table(["Parameter", "Type", "Meaning"], parameters.map(parameterRow)) : ""}
${body ? `<p>Body: ${typeOf(body)}, for example</p>\n<pre>${escapeHtml(JSON.stringify(example(body), null, 2))}</pre>` : ""}
<details><summary>Answers</summary>${table(["Status", "Meaning", "Body", "Headers"], answers)}</details>
<details><summary>Try it</summary>
<form class="try" data-method="${method}" data-path="${escapeHtml(path)}">
${parameters.map(({ name, in: place, required }) => `<label>${escapeHtml(name)} <input name="${escapeHtml(name)}" data-in="${place}"${required ? " required" : ""}></label>`).join("\n")}
${body ? `<label>Body <textarea name="body" rows="5">${escapeHtml(JSON.stringify(example(body), null, 2))}</textarea></label>` : ""}
<button>Send</button>
<pre class="answer" aria-live="polite" hidden></pre>
</form></details>
</section>`;
}

function parameterRow({ name, in: place, required, description = "", schema }: Parameter): string[] {
  const place_ = required ? `${place}, required` : place;
  return [`<code>${escapeHtml(name)}</code> <small>${place_}</small>`, typeOf(schema), inline(description)];
}

function renderShape([name, schema]: [string, Schema]): string {
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

function typeOf(schema: Schema): string {
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

function exampleOf(schema: Schema | undefined, schemas: Record<string, Schema>): unknown {
  const target = schema?.$ref === undefined ? schema : schemas[nameOf(schema.$ref)];
  return target?.examples?.[0];
}

function nameOf($ref: string): string {
  return $ref.replace(/^.*\//, "");
}
