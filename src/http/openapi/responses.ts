// The responses of an operation in the OpenAPI document: its success and its errors.

import { IMAGE_TYPES } from "../../domain/animals/photo-limits.ts";
import { ERRORS, type ErrorCode } from "../../domain/basics/errors.ts";
import { NDJSON_TYPE } from "../headers/common-headers.ts";
import { IMPORT_TYPES } from "../request/upload-file.ts";
import type { Schema } from "../schemas/keywords.ts";
import { exampleOf } from "./examples.ts";
import { describeLocation, HEADERS_OF_EVERY_RESPONSE } from "./headers.ts";
import type { Operation } from "./operations.ts";
import { type PublishedSchema, publishSchema } from "./published-schema.ts";

type Refs = Record<string, { $ref: string }>;
export interface Answer {
  description: string;
  headers: Refs | { Location?: ReturnType<typeof describeLocation> };
  content?: Record<string, { schema: PublishedSchema; example?: unknown; examples?: object }>;
}

/** Every operation can answer these. */
const COMMON_ERRORS: ErrorCode[] = [
  "bad_request",
  "invalid_parameter",
  "request_timeout",
  "body_too_large",
  "rate_limit_exceeded",
  "headers_too_large",
  "internal_error",
  "unavailable",
];
/** Every operation that needs a key. */
const KEY_ERRORS: ErrorCode[] = ["missing_api_key", "invalid_api_key", "origin_not_allowed"];
const CHARGED_ERRORS: ErrorCode[] = ["daily_limit_exceeded", "key_banned"];
const POST_ERRORS: ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_in_progress",
  "idempotency_key_reused",
];
const BODY_ERRORS: ErrorCode[] = ["invalid_json", "invalid_body"];
const STREAM_TYPE = "text/event-stream";
const CSV = "text/csv";
/** The response of an import with its progress. */
const LINES = {
  [NDJSON_TYPE]: {
    schema: { type: "string" },
    example:
      '{"progress":{"rows":200}}\n{"progress":{"rows":400}}\n{"report":{"isDryRun":false,"rows":400}}\n',
  },
};
const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"];

export function describeSuccess(operation: Operation): Record<string, Answer> {
  const { method, url, schema, config } = operation;
  const shapes = Object.entries((schema.response ?? {}) as Record<string, Schema>);
  const names = [
    ...(config?.etag || (config?.ifMatch && shapes.length > 0) ? ["ETag"] : []),
    ...(config?.deprecated ? DEPRECATION_HEADERS : []),
    ...(!hasCursor(schema.querystring) || config?.stream ? [] : ["Link"]),
    ...(isIdempotent(operation) ? ["Idempotent-Replayed"] : []),
  ];
  const headers = headerRefs([...names, ...HEADERS_OF_EVERY_RESPONSE]);
  const success = { description: schema.answer ?? "Done.", headers };
  const answers = shapes.map(([status, shape]) => {
    const type = config?.stream ? STREAM_TYPE : config?.csv ? CSV : undefined;
    const content = describeContent(shape, type);
    const answer = { ...success, content: config?.upload === "file" ? { ...content, ...LINES } : content };
    if (method !== "POST" || status !== "201") return [status, answer];
    const { id } = exampleOf(shape) as { id?: number };
    if (id === undefined) return [status, answer];
    const location = describeLocation(`${fillPath(url, schema.params as Schema)}/${id}`);
    return [status, { ...answer, headers: { Location: location, ...headers } }];
  });
  return {
    ...(shapes.length === 0 ? { 204: success } : Object.fromEntries(answers)),
    ...(config?.etag && {
      304: { description: "Nothing has changed since the response with this ETag.", headers },
    }),
  };
}

function fillPath(url: string, { properties = {} }: Schema = {}): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => String(exampleOf(properties[name] ?? {})));
}

export function describeContent(shape: Schema, type = "application/json") {
  return { [type]: { schema: publishSchema(shape), example: exampleOf(shape) } };
}

/** The content of an upload, which has no schema. */
export function describeUpload(kind: "image" | "file") {
  const schema = { type: "string", format: "binary" };
  const types = kind === "image" ? IMAGE_TYPES : Object.keys(IMPORT_TYPES);
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Whether the operation takes an Idempotency-Key. */
export function isIdempotent({ method, config }: Operation): boolean {
  return method === "POST" && config?.repeatable !== true;
}

/** A list has it in `cursor`, the feed in `after`. */
function hasCursor(query: unknown): boolean {
  const { properties = {} } = (query ?? {}) as Schema;
  return "cursor" in properties || "after" in properties;
}

function codesOf(operation: Operation): ErrorCode[] {
  const { method, schema, config } = operation;
  const missing = (schema.params as Schema | undefined)?.["x-missing"];
  const codes = new Set<ErrorCode | undefined>([
    ...COMMON_ERRORS,
    ...(config?.errors ?? []),
    missing,
    ...(config?.deprecated ? (["operation_removed"] as const) : []),
    ...(config?.ifMatch ? (["precondition_failed"] as const) : []),
    ...(config?.keyless ? [] : KEY_ERRORS),
    ...(config?.charged === false || config?.keyless ? [] : CHARGED_ERRORS),
    ...(config?.publishable || config?.keyless ? [] : (["insufficient_access"] as const)),
    ...(isIdempotent(operation) ? POST_ERRORS : []),
    // Also for operations without a body: a body that is sent anyway must be readable.
    ...(method === "GET" || method === "DELETE" ? [] : (["unsupported_media_type"] as const)),
    ...(schema.body === undefined ? [] : BODY_ERRORS),
    ...(hasCursor(schema.querystring) ? (["invalid_cursor"] as const) : []),
  ]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Operations with the same errors of a status share one description, which is added to `shared`. */
export function describeErrors(operation: Operation, shared: Map<string, Answer>): Refs {
  const isDeprecated = operation.config?.deprecated === true;
  const byStatus = Map.groupBy(codesOf(operation), (code) => ERRORS[code].status);
  const answers = [...byStatus].map(([status, codes]) => {
    const name = [...(isDeprecated ? ["deprecated"] : []), ...codes].join("-");
    if (!shared.has(name)) shared.set(name, describeError(status, codes, isDeprecated));
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(answers);
}

function describeError(status: number, codes: ErrorCode[], isDeprecated: boolean): Answer {
  const names = [...(isDeprecated ? DEPRECATION_HEADERS : []), ...HEADERS_OF_EVERY_RESPONSE];
  if (codes.includes("feed_reset")) names.push("Link");
  if (status === 401 || status === 403) names.push("WWW-Authenticate");
  if (status === 429 || status === 503) names.push("Retry-After");
  const examples = codes.map((code) => [code, { value: { code, message: ERRORS[code].message, status } }]);
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: headerRefs(names),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function headerRefs(names: string[]): Refs {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
