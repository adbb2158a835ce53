// The form to try an operation: a field for every parameter, and the body.

import type { OpenApiDocument } from "../http/openapi/document.ts";
import type { PublishedSchema } from "../http/openapi/published-schema.ts";
import { escapeHtml } from "../tools/html.ts";
import type { ListedOperation } from "./blocks.ts";
import { nameOf } from "./schema-type.ts";

type Parameter = ListedOperation["operation"]["parameters"][number];
type Schemas = OpenApiDocument["components"]["schemas"];

export function renderForm({ method, path, operation }: ListedOperation, schemas: Schemas): string {
  const { operationId, parameters, requestBody } = operation;
  const fields = parameters.map((parameter) => renderField(parameter, operationId, schemas));
  const body = requestBody && renderBody(requestBody.content, operationId);
  return `<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${escapeHtml(path)}">
${fields.join("\n")}
${body ?? ""}
<p class="buttons"><button class="primary">Send</button> <a class="no-key" href="#key" hidden>Enter your key first</a></p>
</form></details>`;
}

function renderField(parameter: Parameter, operationId: string, schemas: Schemas): string {
  const { name, in: place, required, example, schema } = parameter;
  const id = `${operationId}-field-${name}`;
  const facts = `id="${id}" name="${escapeHtml(name)}" data-in="${place}"${required ? " required" : ""}`;
  const values = listValues(schema, schemas);
  const field =
    values === undefined
      ? `<input ${facts} autocomplete="off" spellcheck="false" placeholder="${escapeHtml(String(example))}">`
      : `<select ${facts}><option value=""></option>${values.map((value) => `<option>${escapeHtml(value)}</option>`).join("")}</select>`;
  return `<div class="field"><label for="${id}">${escapeHtml(name)} <small>${place}${required ? ", required" : ""}</small></label>${field}</div>`;
}

/** Undefined where any text may be valid. */
function listValues(schema: PublishedSchema, schemas: Schemas): string[] | undefined {
  const { enum: values, type } = schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {});
  return type === "boolean" ? ["true", "false"] : values;
}

type Content = NonNullable<ListedOperation["operation"]["requestBody"]>["content"];

function renderBody(content: Content, operationId: string): string {
  const id = `${operationId}-field-body`;
  const json = content["application/json"];
  const field =
    json === undefined
      ? `<input id="${id}" name="body" type="file" accept="${Object.keys(content).join(",")}" required>`
      : `<textarea id="${id}" name="body" rows="${JSON.stringify(json.example, null, 2).split("\n").length + 1}" spellcheck="false">${escapeHtml(JSON.stringify(json.example, null, 2))}</textarea>`;
  return `<div class="field wide"><label for="${id}">Body</label>${field}</div>`;
}
