// Headers that go with every answer, and the answer to a CORS preflight.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

export type Headers = Record<string, string | number>;

const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

const FIXED: Headers = {
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
  vary: "Origin",
};

/** Every header of ours that a page of another origin may read. */
const EXPOSED_HEADERS = [
  "Allow",
  "Deprecation",
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Content-Type-Options",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
];
const EXPOSED = EXPOSED_HEADERS.join(", ");

export const PREFLIGHT_HEADERS: Headers = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id",
  "access-control-max-age": 86_400,
};

/** The client's own id where it is harmless, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && CLIENT_REQUEST_ID.test(given) ? given : randomUUID();
}

/** `corsOrigins` undefined allows every origin. */
export function commonHeaders(
  requestId: string,
  origin: string | undefined,
  corsOrigins: string[] | undefined,
): Headers {
  const headers: Headers = { ...FIXED, "x-request-id": requestId };
  if (origin === undefined || (corsOrigins !== undefined && !corsOrigins.includes(origin))) return headers;
  headers["access-control-allow-origin"] = corsOrigins === undefined ? "*" : origin;
  headers["access-control-expose-headers"] = EXPOSED;
  return headers;
}
