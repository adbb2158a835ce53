// The sections of the reference about operations and shapes, from the OpenAPI document.

import type { OpenApiDocument } from "../http/openapi/document.ts";
import { HEADERS_OF_EVERY_RESPONSE } from "../http/openapi/headers.ts";
import type { PublishedSchema } from "../http/openapi/published-schema.ts";
import type { Answer } from "../http/openapi/responses.ts";
import { type Block, type ExampleResponse, type ListedOperation, type Section, text } from "./blocks.ts";
import { listBodyFields } from "./body-fields.ts";
import { writeSamples } from "./samples/samples.ts";
import { listCodes, nameOf, typeOf } from "./schema-type.ts";

type Parameter = ListedOperation["operation"]["parameters"][number];
type ListedAnswer = Answer & { status: string };

/** `base` is the address of /v1. */
export function describeOperation(listed: ListedOperation, document: OpenApiDocument, base: string): Section {
  const { method, path, operation } = listed;
  const { operationId, summary = "", description, deprecated = false } = operation;
  const answers = listAnswers(operation, document);
  return {
    id: operationId,
    kind: "Operation",
    title: summary,
    isDeprecated: deprecated,
    address: { method, path },
    blocks: [
      text(
        `${description ? `${description} ` : ""}${describeAccess(operation)} Operation \`${operationId}\`.`,
      ),
      ...describeInput(operation, document),
      {
        kind: "samples",
        id: operationId,
        samples: writeSamples(listed, document, base),
        response: exampleOf(answers),
      },
      {
        kind: "details",
        title: "Responses",
        blocks: [
          {
            kind: "table",
            head: ["Status", "Meaning", "Body", "More headers"],
            rows: answers.map(answerRow),
          },
        ],
      },
      { kind: "form", listed },
    ],
  };
}

function describeAccess({ security: [needed, ...others] }: ListedOperation["operation"]): string {
  if (needed === undefined) return "Needs no key.";
  const alternative = others.length > 0 ? " or a publishable key" : "";
  return `Needs access \`${needed.bearerAuth?.[0]}\`${alternative}.`;
}

function listAnswers(
  { responses }: ListedOperation["operation"],
  { components }: OpenApiDocument,
): ListedAnswer[] {
  return Object.entries(responses).map(([status, given]) => ({
    status,
    ...("$ref" in given ? (components.responses[nameOf(given.$ref)] as Answer) : given),
  }));
}

/** The parameters, the body, and its members: nobody has to look for the shape of the body elsewhere. */
function describeInput(
  { parameters, requestBody }: ListedOperation["operation"],
  { components }: OpenApiDocument,
): Block[] {
  const rows = parameters.map(parameterRow);
  if (requestBody !== undefined) rows.push(...bodyRows(requestBody, components.schemas));
  return rows.length === 0 ? [] : [{ kind: "table", head: ["Parameter", "Type", "Meaning"], rows }];
}

type RequestBody = NonNullable<ListedOperation["operation"]["requestBody"]>;

function bodyRows({ content, required }: RequestBody, schemas: OpenApiDocument["components"]["schemas"]) {
  const schema = content["application/json"]?.schema;
  const types = Object.keys(content).map((type) => `\`${type}\``);
  const cells = [
    required ? "body, required" : "body",
    schema === undefined ? "file" : typeOf(schema),
    types.join(" or "),
  ];
  const fields = schema === undefined ? [] : listBodyFields(schema, schemas);
  return [
    { cells },
    ...fields.map(({ name, isRequired, type, meaning }) => ({
      cells: [`\`${name}\` in the body${isRequired ? ", required" : ""}`, type, meaning],
    })),
  ];
}

function parameterRow({ name, in: place, required, description = "", schema }: Parameter) {
  return { cells: [`\`${name}\` ${place}${required ? ", required" : ""}`, typeOf(schema), description] };
}

/** Of the first success: an error has an example for each code. */
function exampleOf(answers: ListedAnswer[]): ExampleResponse {
  const { status = "", content = {} } = answers.find((answer) => answer.status.startsWith("2")) ?? {};
  const [media] = Object.values(content);
  if (media === undefined) return { status };
  const { example, schema } = media;
  const body =
    typeof example === "string"
      ? ({ code: example, language: "text" } as const)
      : ({ code: JSON.stringify(example, null, 2), language: "json" } as const);
  return { status, body: { type: typeOf(schema), ...body } };
}

function answerRow({ status, description, content, headers }: ListedAnswer) {
  // A response has one media type.
  const [media] = Object.values(content ?? {});
  const own = Object.keys(headers).filter((name) => !HEADERS_OF_EVERY_RESPONSE.includes(name));
  return { cells: [status, description, media ? typeOf(media.schema) : "", listCodes(own)] };
}

export function describeShape([name, schema]: [string, PublishedSchema]): Section {
  const rows = Object.entries(schema.properties ?? {}).map(([member, each]) => {
    const note = schema.required?.includes(member) ? "" : " optional";
    return { cells: [`\`${member}\`${note}`, typeOf(each), each.description ?? ""] };
  });
  return {
    id: `shape-${name}`,
    kind: "Shape",
    title: name,
    blocks: [
      ...(schema.description ? [text(schema.description)] : []),
      rows.length > 0
        ? { kind: "table", head: ["Member", "Type", "Meaning"], rows }
        : text(typeOf({ ...schema, title: "" })),
    ],
  };
}
