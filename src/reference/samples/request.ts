// The request that the samples of an operation send: its examples of the OpenAPI document.

import type { OpenApiDocument } from "../../http/openapi/document.ts";
import type { PublishedSchema } from "../../http/openapi/published-schema.ts";
import type { ListedOperation } from "../blocks.ts";
import { nameOf } from "../schema-type.ts";

/**
 * The script of the page replaces it by the key of the reader. ASCII, so that a program with it gets `invalid_api_key`: a
 * header with other characters cannot be sent.
 */
export const KEY_PLACEHOLDER = "ask_live_YOUR_KEY";
export const AUTHORIZATION = `Bearer ${KEY_PLACEHOLDER}`;

/** By media type. */
const FILES: Record<string, string> = { "image/jpeg": "rex.jpg", "text/csv": "animals.csv" };

type Components = OpenApiDocument["components"];
type Parameter = ListedOperation["operation"]["parameters"][number];

export interface SampleRequest {
  operationId: string;
  method: string;
  /** With identifiers. */
  path: string;
  ids: unknown[];
  query: Record<string, unknown>;
  body: unknown;
  /** Without the key where the operation needs none. */
  headers: Record<string, string>;
  file: { name: string; type: string } | undefined;
  /** `name` is a variable for the result or, in a list, for an item. */
  result: { kind: "value" | "pages" | "stream" | "file" | "nothing"; name: string };
}

export function describeRequest(
  { method, path, operation }: ListedOperation,
  { schemas }: Components,
): SampleRequest {
  const { operationId, parameters, requestBody, security } = operation;
  const [fileType] = Object.keys(requestBody?.content ?? {}).filter((type) => type in FILES);
  const inPath = parameters.filter((each) => each.in === "path");
  const result = describeResult(operation, schemas);
  const type = fileType ?? (requestBody === undefined ? undefined : "application/json");
  return {
    operationId,
    method,
    result,
    headers: {
      ...(security.length > 0 && { Authorization: AUTHORIZATION }),
      ...(type && { "Content-Type": type }),
    },
    path: inPath.reduce((filled, { name, example }) => filled.replace(`{${name}}`, String(example)), path),
    ids: inPath.map(({ example }) => example),
    query: chooseQuery(parameters, { isStream: result.kind === "stream", hasFile: fileType !== undefined }),
    body: requestBody?.content["application/json"]?.example,
    file: fileType === undefined ? undefined : { name: FILES[fileType] as string, type: fileType },
  };
}

/** Path and query. */
export function targetOf({ path, query }: SampleRequest): string {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** Of a list only the first named filter: with all filters, a reader would find none of their own animals. */
function chooseQuery(
  parameters: Parameter[],
  { isStream, hasFile }: { isStream: boolean; hasFile: boolean },
): Record<string, unknown> {
  const inQuery = parameters.filter((each) => each.in === "query");
  const chosen = isStream
    ? inQuery.filter(({ name }) => name === "after")
    : hasFile
      ? inQuery.filter(({ example, schema }) => example !== false && !("contentSchema" in schema))
      : inQuery.filter(({ schema }) => "$ref" in schema).slice(0, 1);
  return Object.fromEntries(chosen.map(({ name, example }) => [name, example]));
}

function describeResult(
  { parameters, responses }: ListedOperation["operation"],
  schemas: Components["schemas"],
): SampleRequest["result"] {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const content = success && "content" in success ? success.content : undefined;
  if (content?.["text/event-stream"] !== undefined) return { kind: "stream", name: "event" };
  if (content?.["text/csv"] !== undefined) return { kind: "file", name: "text" };
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) return { kind: "nothing", name: "" };
  const item = itemOf(schema, schemas);
  if (item !== undefined && parameters.some(({ name }) => name === "cursor"))
    return { kind: "pages", name: variableOf(item) };
  return { kind: "value", name: variableOf(schema) };
}

function itemOf({ $ref }: PublishedSchema, schemas: Components["schemas"]): PublishedSchema | undefined {
  return $ref === undefined ? undefined : schemas[nameOf($ref)]?.items;
}

/** "#/components/schemas/ApiKey" → "apiKey" */
function variableOf({ $ref = "result" }: PublishedSchema): string {
  const name = nameOf($ref);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
