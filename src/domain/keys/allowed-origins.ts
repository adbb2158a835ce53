// The origins of web pages that may use a publishable key.

import { createRangeCheck } from "../../tools/address-ranges.ts";

/** The scheme, a name of 253 characters and a port. */
export const ORIGIN_LENGTH_MAX = 267;
export const ORIGIN_RULE =
  "an origin as browsers send it, such as https://www.example.org, without a path (http only for localhost and loopback addresses)";

/** Linear: no part can match what another one matches. Without wildcards, which URL would accept. */
const ORIGIN = /^(https?):\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/;
const isLoopback = createRangeCheck(["127.0.0.0/8", "::1"]);

/** False for an address that no browser sends: with a path, upper-case letters, or the port that the scheme has anyway. */
export function isAllowableOrigin(text: string): boolean {
  const [, scheme, host = ""] = (text.length <= ORIGIN_LENGTH_MAX && ORIGIN.exec(text)) || [];
  if (scheme === undefined || URL.parse(text)?.origin !== text) return false;
  return scheme === "https" || host === "localhost" || isLoopback(host.replaceAll(/[[\]]/g, ""));
}

/** A page sends no Origin with a GET to its own origin, but then says so. */
export function isFromAllowedOrigin(
  { allowedOrigins = [] }: { allowedOrigins?: string[] | undefined },
  headers: { origin?: string | undefined; "sec-fetch-site"?: string | string[] | undefined },
): boolean {
  const { origin, "sec-fetch-site": site } = headers;
  return origin === undefined ? site === "same-origin" : allowedOrigins.includes(origin);
}
