// Builds the request of a method call: URL, headers, body.

import { formatInt64, type Int64, requireExact } from "./int64.ts";
import { stringifyJson } from "./json.ts";
import type { Operation } from "./operation.ts";
import {
  type ChangeOptions,
  type ImportOptions,
  type PostOptions,
  requireCount,
  requireMs,
  type Settings,
} from "./options.ts";
import { typeOfFile, typeOfImport, type UploadFile, uploadMs } from "./upload.ts";

/** The arguments of a method call. */
export interface Input {
  ids: Int64[];
  query: Record<string, unknown>;
  body: unknown;
  file?: UploadFile | undefined;
  options: PostOptions & ChangeOptions & ImportOptions;
  ifNoneMatch?: string | undefined;
}

export interface ServiceRequest {
  name: string;
  operation: Operation;
  requestId: string;
  url: string;
  headers: Record<string, string>;
  body: string | UploadFile | undefined;
  signal: AbortSignal | undefined;
  /** Limits the whole response, or the silence before each part of it where it shows progress. */
  timeoutMs: number;
  retries: number;
  onProgress: ImportOptions["onProgress"];
  /** The longest back-off without a Retry-After. */
  longestWaitMs?: number;
}

const IMPORT = "importAnimals";
const PLACEHOLDER = /\{(\w+)\}/g;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Every method takes its identifiers first, then the query or the body, or a file and a query, then the options. */
export function readArguments({ path, takes }: Operation, args: readonly unknown[]): Input {
  const count = path.match(PLACEHOLDER)?.length ?? 0;
  const rest = args.slice(count);
  const file = takes === "file" ? requireFile(rest.shift()) : undefined;
  const body = takes === "body" ? rest.shift() : undefined;
  const query = takes === "query" || takes === "file" ? rest.shift() : undefined;
  return {
    ids: args.slice(0, count) as Int64[],
    query: (query ?? {}) as Input["query"],
    body,
    file,
    options: (rest[0] ?? {}) as Input["options"],
  };
}

function requireFile(given: unknown): UploadFile {
  if (given instanceof Uint8Array || given instanceof Blob) return given;
  throw new TypeError("The file must be a Blob or a Uint8Array");
}

/** Built once, so that all attempts send the same request. Throws a TypeError for arguments that cannot be sent. */
export function buildRequest(
  settings: Settings,
  [name, operation]: [string, Operation],
  { ids, query, body, file, options, ifNoneMatch }: Input,
): ServiceRequest {
  const requestId = randomText();
  const rest = [...ids];
  const path = operation.path.replace(PLACEHOLDER, (_, id: string) => {
    const given = rest.shift() as Int64;
    return operation.isFile ? encodeURIComponent(String(given)) : formatInt64(given, id);
  });
  const headers: Record<string, string> = {
    ...(operation.access !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
    "x-request-id": requestId,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(file !== undefined && {
      "content-type": name === IMPORT ? typeOfImport(file) : typeOfFile(file),
    }),
    ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
    ...(options.ifMatch !== undefined && { "if-match": options.ifMatch }),
    ...(operation.method === "POST" && { "idempotency-key": readIdempotencyKey(options) }),
  };
  return {
    name,
    operation,
    requestId,
    url: settings.baseUrl + path + formatQuery(options.onProgress ? { ...query, progress: true } : query),
    headers,
    body: body === undefined ? file : stringifyJson(body),
    signal: options.signal,
    onProgress: options.onProgress,
    timeoutMs:
      requireMs(options.timeoutMs ?? settings.timeoutMs, "timeoutMs") +
      // With `wait`, the service holds the response back for these seconds.
      Number(query.wait ?? 0) * 1000 +
      (file === undefined ? 0 : uploadMs(file)),
    retries: requireCount(options.retries ?? settings.retries, "retries"),
  };
}

function formatQuery(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) if (typeof value === "number") requireExact(value, name);
  const text = String(new URLSearchParams(given.map(([name, value]) => [name, formatValue(value)])));
  return text === "" ? "" : `?${text}`;
}

function formatValue(value: unknown): string {
  return typeof value === "object" ? stringifyJson(value) : String(value);
}

function readIdempotencyKey({ idempotencyKey = randomText() }: PostOptions): string {
  if (IDEMPOTENCY_KEY.test(idempotencyKey)) return idempotencyKey;
  throw new TypeError("idempotencyKey must be 1 to 255 visible ASCII characters");
}

/** 128 random bits. Pages loaded over plain HTTP do not have `randomUUID`. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
