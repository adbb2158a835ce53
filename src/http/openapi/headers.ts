// Response headers as the OpenAPI document describes them.

import { GET_PET_DEPRECATED_MS_DEFAULT, GET_PET_SUNSET_MS } from "../../domain/basics/deprecation.ts";

function header(description: string, example: string | number) {
  return {
    description,
    example,
    schema: { type: typeof example === "string" ? "string" : "integer" },
  };
}

export function headerParameter(name: string, description: string, example: string | number) {
  return { name, in: "header", required: false, description, example, schema: { type: "string" } };
}

export function requiredHeader(...header: Parameters<typeof headerParameter>) {
  return { ...headerParameter(...header), required: true };
}

const EXAMPLE_URL = "https://animals.example.org";

/** Not shared: each operation has the address of its own example. */
export function describeLocation(path: string) {
  return header("Address of the created resource.", EXAMPLE_URL + path);
}

/** Sent with every response under /v1. */
const COMMON_HEADERS = {
  "X-RateLimit-Limit": header("Requests that the binding window allows.", 60),
  "X-RateLimit-Remaining": header("Requests left in the binding window.", 59),
  "X-RateLimit-Reset": header("Unix time in seconds at which the binding window resets.", 1893456000),
  "RateLimit-Policy": header(
    "The quota and the length in seconds of each window.",
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  RateLimit: header(
    "The remaining requests of each window, and the seconds until it resets.",
    '"minute";r=59;t=42, "day";r=999;t=86012',
  ),
  "X-Request-Id": header(
    "Identifies the request in the log. A valid id from the client is kept.",
    "5f1c9be0a37d42e8-1z",
  ),
};
export const HEADERS_OF_EVERY_RESPONSE = Object.keys(COMMON_HEADERS);

export const HEADERS = {
  ...COMMON_HEADERS,
  "Retry-After": header("Whole seconds to wait before the next attempt.", 42),
  "WWW-Authenticate": header(
    "How to authenticate, and why this request was rejected.",
    'Bearer realm="animal-store"',
  ),
  ETag: header(
    "Identifies this content. Send it in If-None-Match to read again only what has changed, or in If-Match to change only what has not.",
    '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  Link: header(
    "Related addresses, such as the next page (RFC 8288).",
    `<${EXAMPLE_URL}/v1/pets?limit=20&cursor=q83vEgAAAAAAAAAU>; rel="next"`,
  ),
  "Idempotent-Replayed": header("Present when this is the first response again.", "true"),
  Deprecation: header(
    "Since when the operation is deprecated (RFC 9745).",
    `@${GET_PET_DEPRECATED_MS_DEFAULT / 1000}`,
  ),
  Sunset: header("When the operation is removed (RFC 8594).", new Date(GET_PET_SUNSET_MS).toUTCString()),
};
