// The OpenAPI document, generated from the routes and their schemas.

import { GET_PET_SUNSET_MS } from "../../domain/basics/deprecation.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../domain/basics/request-limits.ts";
import { formatDuration } from "../../domain/basics/time.ts";
import { IDEMPOTENCY_KEPT_MS } from "../../domain/idempotency.ts";
import { isBodyOptional } from "../request/validation.ts";
import type { Schema } from "../schemas/keywords.ts";
import { exampleCursor, exampleOf } from "./examples.ts";
import { HEADERS, headerParameter } from "./headers.ts";
import type { Operation } from "./operations.ts";
import { publishComponents, publishSchema } from "./published-schema.ts";
import {
  type Answer,
  describeContent,
  describeErrors,
  describeSuccess,
  describeUpload,
  isIdempotent,
} from "./responses.ts";
import { describeWebhookRequests } from "./webhook-requests.ts";

const MAILTO = "mailto:";
const API_VERSION = "1.0.0";
const KEPT = formatDuration(IDEMPOTENCY_KEPT_MS);
const DESCRIPTION = `Animals awaiting adoption: list, add, change and order them.

Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. The security requirement of an operation names
the access level that the key needs; an empty one says that no key is needed. Web pages send a publishable key instead, as \`?key=\` where the requirement names it. The headers of every response state the remaining requests of the key. Every error has
a body of \`code\`, \`message\` and \`status\`; the list of codes is closed.

Send an \`Idempotency-Key\` with a POST that you may have to repeat: within ${KEPT} the same request gets the first
response again, and is executed only once.

Unknown body members and query parameters are ignored; invalid values are rejected.`;

const TAGS = [
  { name: "Animals", description: "Animals, their availability and their history." },
  { name: "Listings", description: "Animals with profile and photos, for people who want to adopt." },
  { name: "Store", description: "Orders, which reserve animals for adoption, and the inventory." },
  { name: "Categories", description: "Names for the categories of animals." },
  { name: "Shelters", description: "The shelters that animals belong to." },
  { name: "Site", description: "The public pages that people see without a key." },
  { name: "Events", description: "Every change, in one order." },
  {
    name: "Webhooks",
    description: "Events sent to your own address, signed and repeated until they arrive.",
  },
  { name: "Keys", description: "API keys and their limits." },
  {
    name: "People",
    description: "People who sign in by an invitation, and the sessions of their devices.",
  },
  { name: "Audit", description: "Who changed the service itself." },
];

const SUNSET_DAY = new Date(GET_PET_SUNSET_MS).toISOString().slice(0, 10);

const IF_NONE_MATCH = headerParameter(
  "If-None-Match",
  "The ETag of an earlier response: 304 if nothing has changed since.",
  HEADERS.ETag.example,
);
const IF_MATCH = headerParameter(
  "If-Match",
  "One or more ETags, separated by commas: the change is made only if the current ETag is one of them, otherwise 412. `*` stands for any.",
  HEADERS.ETag.example,
);
const LAST_EVENT_ID = headerParameter(
  "Last-Event-ID",
  "The last `id` of an earlier stream: continues after it. Overrides `after`.",
  "9f86d081884c7d65-2",
);
const IDEMPOTENCY_KEY = headerParameter(
  "Idempotency-Key",
  `1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters of your choice, bare or quoted. The same request with the same key within ${KEPT} gets the first response again.`,
  "0198f3a2-7c1e-7d55-9b1e-3f4a5b6c7d8e",
);

interface Addresses {
  publicUrl: string;
  stagingUrl: string | undefined;
  contactUrl: string | undefined;
}

interface RequestBody {
  required: boolean;
  content: NonNullable<Answer["content"]>;
}

export type OpenApiDocument = ReturnType<typeof describeApi>;
export type DescribedOperation = ReturnType<typeof describeOperation>;

export function describeApi(
  operations: Operation[],
  { publicUrl, stagingUrl, contactUrl = `${publicUrl}/docs` }: Addresses,
) {
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  const shared = new Map<string, Answer>();
  for (const operation of operations) {
    const path = operation.url.replace(/^\/v1/, "").replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [String(operation.method).toLowerCase()]: describeOperation(operation, path, shared),
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
      contact: describeContact(contactUrl),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: [{ bearerAuth: [] }],
    tags: TAGS,
    paths,
    webhooks: describeWebhookRequests(),
    components: {
      securitySchemes: {
        bearerAuth: { type: "http", scheme: "bearer", description: "The API key." },
        publishableKey: {
          type: "apiKey",
          in: "query",
          name: "key",
          description: "A publishable key, sent by a web page of one of its origins.",
        },
      },
      schemas: publishComponents(),
      responses: Object.fromEntries(shared),
      headers: HEADERS,
    },
  };
}

function describeContact(url: string) {
  const name = "Operator of this service";
  return url.startsWith(MAILTO) ? { name, email: url.slice(MAILTO.length) } : { name, url };
}

function describeOperation(operation: Operation, path: string, shared: Map<string, Answer>) {
  const { schema, config } = operation;
  const { operationId, tag, summary, description } = schema;
  const parameters = [
    ...describeParameters("path", schema.params),
    ...describeParameters("query", schema.querystring),
  ];
  const isNewestFirst = config?.newestFirst || parameters.some(({ example }) => example === "newest");
  for (const parameter of parameters)
    if (parameter.name === "cursor") parameter.example = exampleCursor(path, parameters, isNewestFirst);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: describeSecurity(operation),
    ...(config?.deprecated && { deprecated: true, "x-sunset": SUNSET_DAY }),
    parameters: [
      ...parameters,
      ...(config?.etag ? [IF_NONE_MATCH] : []),
      ...(config?.ifMatch ? [IF_MATCH] : []),
      ...(config?.stream ? [LAST_EVENT_ID] : []),
      ...(isIdempotent(operation) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...describeBody(operation),
    responses: { ...describeSuccess(operation), ...describeErrors(operation, shared) },
  };
}

/** Empty for an operation that needs no key. */
function describeSecurity({
  config,
}: Operation): Array<{ bearerAuth?: [string | undefined]; publishableKey?: never[] }> {
  if (config?.keyless) return [];
  return [{ bearerAuth: [config?.access] }, ...(config?.publishable ? [{ publishableKey: [] }] : [])];
}

function describeBody({ schema: { body }, config }: Operation): { requestBody?: RequestBody } {
  if (config?.upload) return { requestBody: { required: true, content: describeUpload(config.upload) } };
  if (body === undefined) return {};
  return { requestBody: { required: !isBodyOptional(body), content: describeContent(body as Schema) } };
}

function describeParameters(location: "path" | "query", schema: unknown) {
  const { properties = {} } = (schema ?? {}) as Schema;
  return Object.entries(properties).map(([name, member]) => {
    const { description = member.description, examples, ...rest } = publishSchema(member);
    return {
      name,
      in: location,
      required: location === "path",
      description,
      example: exampleOf(member),
      schema: rest,
    };
  });
}
