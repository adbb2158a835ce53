// The OpenAPI document, made from the routes and the schemas that they validate and serialise with.

import type { FastifyInstance, RouteOptions } from "fastify";
import { GET_PET_SUNSET_MS } from "../../domain/deprecation.ts";
import { ERRORS, type ErrorCode } from "../../domain/errors.ts";
import { IDEMPOTENCY_KEPT_MS } from "../../domain/idempotency.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../domain/request-limits.ts";
import { formatDuration } from "../../domain/time.ts";
import { isBodyOptional } from "../request/validation.ts";
import { COMPONENTS } from "../schemas/components.ts";
import { refuseUnknownKeywords, type Schema } from "../schemas/keywords.ts";
import { HEADERS, RATE_HEADERS } from "./headers.ts";

const API_VERSION = "1.0.0";
const KEPT = formatDuration(IDEMPOTENCY_KEPT_MS);
const DESCRIPTION = `Animals that wait for adoption: list them, add and change them, order them.

Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. The security requirement of an operation names
the access level that the key needs. Every answer tells what is left of the
key's limits. Every failure has a body of \`code\`, \`message\` and \`status\`, and the \`code\` is one of a closed list.

Send an \`Idempotency-Key\` with a POST that you may have to repeat: within ${KEPT} the same request gets the first
response again, and its work is done once.

Members and parameters that an operation does not know are ignored; values it does not allow are refused.`;

const TAGS = [
  { name: "Animals", description: "The animals, their availability and their history." },
  { name: "Store", description: "Orders, which reserve animals for adoption, and the inventory." },
  { name: "Categories", description: "Names for the categories of animals." },
  { name: "Keys", description: "API keys and their limits." },
];

/** As in RFC 3339, for programs that compare documents. */
const SUNSET_DAY = new Date(GET_PET_SUNSET_MS).toISOString().slice(0, 10);

/** What any operation can answer, whatever it does. */
const COMMON_ERRORS: ErrorCode[] = [
  "bad_request",
  "missing_api_key",
  "invalid_api_key",
  "request_timeout",
  "body_too_large",
  "rate_limit_exceeded",
  "headers_too_large",
  "internal_error",
  "unavailable",
];
const CHARGED_ERRORS: ErrorCode[] = ["daily_limit_exceeded", "key_banned"];
const POST_ERRORS: ErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_in_progress",
  "idempotency_key_reused",
];
const BODY_ERRORS: ErrorCode[] = ["invalid_json", "invalid_body"];

const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier answer: 304 if nothing has changed since.",
  schema: { type: "string" },
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: `1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters of your choice, bare or quoted. The same request with the same key within ${KEPT} gets the first response again.`,
  schema: { type: "string", examples: ["0198f3a2-7c1e-7d55-9b1e-3f4a5b6c7d8e"] },
};

type Json = Record<string, unknown>;
export type Operation = RouteOptions & {
  schema: NonNullable<RouteOptions["schema"]> & { operationId: string };
};

/** Must be called before the routes are registered: it learns them as they come, and refuses half-declared ones. */
export function collectOperations(app: FastifyInstance): Operation[] {
  const operations: Operation[] = [];
  app.addHook("onRoute", (route) => {
    if (!route.url.startsWith("/v1/") || route.method === "HEAD") return;
    if (route.schema?.operationId === undefined || route.config?.access === undefined) {
      throw new Error(`${route.method} ${route.url} needs an operationId and the access that it asks for`);
    }
    for (const [status, shape] of Object.entries((route.schema.response ?? {}) as Record<string, Schema>))
      refuseUnknownKeywords(shape, `${status} of ${route.method} ${route.url}`);
    operations.push(route as Operation);
  });
  return operations;
}

export interface OpenApiDocument extends Json {
  paths: Record<string, Record<string, Json>>;
}

export function describeApi(
  operations: Operation[],
  { publicUrl, stagingUrl }: { publicUrl: string; stagingUrl: string | undefined },
): OpenApiDocument {
  const paths: OpenApiDocument["paths"] = {};
  const shared = new Map<string, Json>();
  for (const operation of operations) {
    const path = operation.url.replace(/^\/v1/, "").replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [String(operation.method).toLowerCase()]: describeOperation(operation, shared),
    };
  }
  const servers = [{ url: `${publicUrl}/v1`, description: "Public" }];
  if (stagingUrl !== undefined) servers.push({ url: `${stagingUrl}/v1`, description: "Staging" });
  return {
    openapi: "3.1.0",
    info: {
      title: "Animal Store",
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: [{ bearerAuth: [] }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: { bearerAuth: { type: "http", scheme: "bearer", description: "The API key." } },
      schemas: Object.fromEntries(COMPONENTS.map((schema) => [titleOf(schema), publish(schema, true)])),
      responses: Object.fromEntries(shared),
      headers: HEADERS,
    },
  };
}

function describeOperation(operation: Operation, shared: Map<string, Json>): Json {
  const { schema, config } = operation;
  const { operationId, tag, summary, description, body } = schema;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [{ bearerAuth: [config?.access] }],
    ...(config?.deprecated && { deprecated: true, "x-sunset": SUNSET_DAY }),
    parameters: [
      ...describeParameters("path", schema.params),
      ...describeParameters("query", schema.querystring),
      ...(config?.etag ? [IF_NONE_MATCH] : []),
      ...(operation.method === "POST" ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: !isBodyOptional(body),
        content: { "application/json": { schema: publish(body) } },
      },
    }),
    responses: { ...describeSuccess(operation), ...describeErrors(operation, shared) },
  };
}

function describeParameters(place: "path" | "query", schema: unknown): Json[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Json> };
  return Object.entries(properties).map(([name, member]) => {
    const { description, ...rest } = publish(member) as Json;
    return {
      name,
      in: place,
      required: place === "path",
      description: description ?? member.description,
      schema: rest,
    };
  });
}

function describeSuccess({ method, schema, config }: Operation): Json {
  const answer = schema.answer ?? { description: "Done." };
  const replayed = method === "POST" ? ["Idempotent-Replayed"] : [];
  const headers = headerRefs([...(answer.headers ?? []), ...replayed, ...RATE_HEADERS]);
  const success = { description: answer.description, headers };
  const shapes = Object.entries((schema.response ?? {}) as Json);
  const answers = shapes.map(([status, shape]) => [
    status,
    { ...success, content: { "application/json": { schema: publish(shape) } } },
  ]);
  return {
    ...(shapes.length === 0 ? { 204: success } : Object.fromEntries(answers)),
    ...(config?.etag && { 304: { description: "The client already has this.", headers } }),
  };
}

function codesOf({ method, schema, config }: Operation): ErrorCode[] {
  const codes = new Set([...COMMON_ERRORS, ...(config?.errors ?? [])]);
  if (config?.charged !== false) for (const code of CHARGED_ERRORS) codes.add(code);
  if (config?.access !== "browse") codes.add("insufficient_access");
  if (method === "POST") for (const code of POST_ERRORS) codes.add(code);
  // Also where no body is needed: one that comes all the same must be one that could be read.
  if (method !== "GET" && method !== "DELETE") codes.add("unsupported_media_type");
  if (schema.body !== undefined) for (const code of BODY_ERRORS) codes.add(code);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** Operations that can fail in the same ways share the description of it, which goes to `shared`. */
function describeErrors(operation: Operation, shared: Map<string, Json>): Json {
  const isDeprecated = operation.config?.deprecated === true;
  const byStatus = Map.groupBy(codesOf(operation), (code) => ERRORS[code].status);
  const answers = [...byStatus].map(([status, codes]) => {
    const name = [...(isDeprecated ? ["deprecated"] : []), ...codes].join("-");
    if (!shared.has(name)) shared.set(name, describeError(status, codes, isDeprecated));
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(answers);
}

function describeError(status: number, codes: ErrorCode[], isDeprecated: boolean): Json {
  const names = [...(isDeprecated ? ["Deprecation", "Sunset", "Link"] : []), ...RATE_HEADERS];
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

function headerRefs(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Keywords for the validator alone. */
const PRIVATE_KEYWORDS = ["x-allowed", "x-missing"];

/** The schema as published: named shapes by reference, without the keywords for the validator. */
function publish(schema: unknown, isInline = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => publish(each));
  if (typeof schema !== "object" || schema === null) return schema;
  // By title and not by identity: TypeBox copies a shape to make it optional.
  const isNamed = COMPONENTS.some((component) => titleOf(component) === titleOf(schema));
  if (isNamed && !isInline) {
    const { default: fallback } = schema as { default?: unknown };
    return {
      $ref: `#/components/schemas/${titleOf(schema)}`,
      ...(fallback !== undefined && { default: fallback }),
    };
  }
  const members = Object.entries(schema).filter(([name]) => !PRIVATE_KEYWORDS.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === "examples" ? member : publish(member)]),
  );
}

function titleOf(schema: unknown): string {
  return (schema as { title: string }).title;
}
