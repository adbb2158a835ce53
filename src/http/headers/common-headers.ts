// Headers of every response, with the limits of the caller, and headers of a CORS preflight.

import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { type Admission, WINDOW_MS } from "../../domain/keys/admission.ts";
import { secondsUntil } from "../../domain/keys/retry-after.ts";
import { bindingWindow, unixSeconds } from "../../domain/keys/shown-limits.ts";

export type Headers = Record<string, string | number>;

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export const FIXED_HEADERS = {
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
  vary: "Origin",
};
export const CSV_TYPE = "text/csv; charset=utf-8";
export const NDJSON_TYPE = "application/x-ndjson";
export const JSON_TYPE = "application/json; charset=utf-8";

/** Our headers that scripts of other origins may read. */
export const EXPOSED_HEADERS = `Allow, Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, \
Retry-After, Sunset, WWW-Authenticate, X-Content-Type-Options, X-RateLimit-Limit, X-RateLimit-Remaining, \
X-RateLimit-Reset, X-Request-Id`;

export const PREFLIGHT_HEADERS: Headers = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
  "access-control-max-age": 86_400,
};

/** Random per process, followed by a counter: unique, and cheaper than a random id for each request. */
const PROCESS_ID = randomBytes(8).toString("hex");
let requests = 0;

export function makeRequestId(): string {
  requests += 1;
  return `${PROCESS_ID}-${requests.toString(36)}`;
}

/** The client's id where it is safe to log and send back, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && CLIENT_REQUEST_ID.test(given) ? given : makeRequestId();
}

/**
 * The value of Access-Control-Allow-Origin; undefined without an origin, and for one that is not allowed. `corsOrigins`
 * undefined allows every origin.
 */
export function allowedOrigin(
  origin: string | undefined,
  corsOrigins: string[] | undefined,
): string | undefined {
  if (origin === undefined) return undefined;
  if (corsOrigins === undefined) return "*";
  return corsOrigins.includes(origin) ? origin : undefined;
}

export function commonHeaders(
  requestId: string,
  origin: string | undefined,
  corsOrigins: string[] | undefined,
): Headers {
  const headers: Headers = { ...FIXED_HEADERS, "x-request-id": requestId };
  const allowed = allowedOrigin(origin, corsOrigins);
  return allowed === undefined ? headers : { ...headers, ...corsHeaders(allowed) };
}

/** Let the pages of this origin read the response. */
export function corsHeaders(origin: string): Headers {
  return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED_HEADERS };
}

export function rateHeaders(admission: Admission) {
  const { windows, nowMs } = admission;
  const { limit, remaining, resetMs } = bindingWindow(admission);
  let policy = "";
  let state = "";
  for (const window of windows) {
    const comma = policy === "" ? "" : ", ";
    policy += `${comma}"${window.name}";q=${window.limit};w=${WINDOW_MS[window.name] / 1000}`;
    state += `${comma}"${window.name}";r=${window.remaining};t=${secondsUntil(window.resetMs, nowMs)}`;
  }
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(unixSeconds(resetMs)),
    "ratelimit-policy": policy,
    ratelimit: state,
  };
}

interface ResponseSettings {
  corsOrigins: string[] | undefined;
  isStopping: () => boolean;
}

/** Hook: the common headers; while the service stops, also `Connection: close`. */
export function setCommonHeaders({ corsOrigins, isStopping }: ResponseSettings): onRequestHookHandler {
  return (request, reply, done) => {
    reply.headers(commonHeaders(request.id, request.headers.origin, corsOrigins));
    // Only the newest response may end the connection: requests after an earlier one would be lost.
    if (isStopping() && request.socket.pipeline?.newest === reply.raw) endConnection(request, reply);
    done();
  };
}

/** Makes this response the last of its connection. */
export function endConnection(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("connection", "close");
  const { pipeline } = request.socket;
  if (pipeline !== undefined) pipeline.isEnding = true;
}
