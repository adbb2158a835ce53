// The OpenAPI document, made from the routes and the schemas that they validate and serialise with.

import type { FastifyInstance, RouteOptions } from "fastify";
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import { HEADERS, RATE_HEADERS } from "./openapi-headers.ts";
import { COMPONENTS } from "./schemas.ts";
import { isBodyOptional } from "./validation.ts";

const API_VERSION = "1.0.0";
const DESCRIPTION = `Animals that wait for adoption: list them, add them, fetch one.

Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. Every answer tells what is left of the
key's limits. Every failure has a body of \`code\`, \`message\` and \`status\`, and the \`code\` is one of a closed list.

Members and parameters that an operation does not know are ignored; values it does not allow are refused.`;

const TAGS = [
  { name: "Animals", description: "The animals and their availability." },
  { name: "Keys", description: "API keys and their limits." },
];

/** What any operation can answer, whatever it does. */
const COMMON_ERRORS: ErrorCode[] = [
  "bad_request",
  "missing_api_key",
  "invalid_api_key",
  "request_timeout",
  "rate_limit_exceeded",
  "headers_too_large",
  "internal_error",
  "unavailable",
];
const CHARGED_ERRORS: ErrorCode[] = ["daily_limit_exceeded", "key_banned"];
const BODY_ERRORS: ErrorCode[] = ["invalid_json", "invalid_body", "body_too_large", "unsupported_media_type"];

const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier answer: 304 if nothing has changed since.",
  schema: { type: "string" },
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
  for (const operation of operations) {
    const path = operation.url.replace(/^\/v1/, "").replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [String(operation.method).toLowerCase()]: describeOperation(operation) };
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
      headers: HEADERS,
    },
  };
}

function describeOperation(operation: Operation): Json {
  const { schema, config } = operation;
  const { operationId, tag, summary, description, body } = schema;
  const needed = `Needs access \`${config?.access}\`.`;
  return {
    operationId,
    tags: [tag],
    summary,
    description: description === undefined ? needed : `${description} ${needed}`,
    ...(config?.deprecated && { deprecated: true }),
    parameters: [
      ...describeParameters("path", schema.params),
      ...describeParameters("query", schema.querystring),
      ...(config?.etag ? [IF_NONE_MATCH] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: !isBodyOptional(body),
        content: { "application/json": { schema: publish(body) } },
      },
    }),
    responses: { ...describeSuccess(operation), ...describeErrors(operation) },
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

function describeSuccess({ schema, config }: Operation): Json {
  const answer = schema.answer ?? { description: "Done." };
  const headers = headerRefs([...(answer.headers ?? []), ...RATE_HEADERS]);
  const [[status, shape] = ["204", undefined]] = Object.entries((schema.response ?? {}) as Json);
  const success: Json = { description: answer.description, headers };
  if (shape !== undefined) success.content = { "application/json": { schema: publish(shape) } };
  if (config?.etag !== true) return { [status]: success };
  return { [status]: success, 304: { description: "The client already has this.", headers } };
}

function describeErrors({ schema, config }: Operation): Json {
  const codes = new Set([...COMMON_ERRORS, ...(config?.errors ?? [])]);
  if (config?.charged !== false) for (const code of CHARGED_ERRORS) codes.add(code);
  if (config?.access !== "browse") codes.add("insufficient_access");
  if (schema.body !== undefined) for (const code of BODY_ERRORS) codes.add(code);

  const inOrder = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
  const byStatus = Map.groupBy(inOrder, (code) => ERRORS[code].status);
  const extra = config?.deprecated ? ["Deprecation", "Sunset", "Link"] : [];
  return Object.fromEntries(
    [...byStatus].map(([status, each]) => [
      status,
      describeError(status, each, headerRefs([...extra, ...RATE_HEADERS])),
    ]),
  );
}

function describeError(status: number, codes: ErrorCode[], headers: Json): Json {
  if (status === 401 || status === 403) headers["WWW-Authenticate"] = headerRef("WWW-Authenticate");
  if (status === 429 || status === 503) headers["Retry-After"] = headerRef("Retry-After");
  const examples = codes.map((code) => [code, { value: { code, message: ERRORS[code].message, status } }]);
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers,
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function headerRefs(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]));
}

function headerRef(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

/** The schema as published: named shapes by reference, our own `x-` notes left out. */
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
  const members = Object.entries(schema).filter(([name]) => !name.startsWith("x-"));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === "examples" ? member : publish(member)]),
  );
}

function titleOf(schema: unknown): string {
  return (schema as { title: string }).title;
}
