// The form of a request: checks by RFC 9112 where Node's parser is more lenient, and one way to write each target.

import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { ServiceError } from "../../domain/basics/errors.ts";
import { HEADER_BYTES_MAX } from "../../domain/basics/request-limits.ts";

/** The part of a request line besides method and target. */
const REQUEST_LINE_REST = " ".length + " HTTP/1.1\r\n".length;
/** Name and value are each followed by two characters: the separator or the line break. */
const SEPARATOR = ": ".length;

const HOST_NAME = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(?::[0-9]{0,5})?$/;
const HOST_LITERAL = /^\[([0-9A-Fa-f:.]+)\](?::[0-9]{0,5})?$/;

const API_PATH = /^\/v1(?=[/?]|$)/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/g;
const ESCAPE = /%[0-9A-Fa-f]{2}/g;
const UNRESERVED = /[A-Za-z0-9._~-]/;
/** A target as proxies get it. The path after the host may be missing. */
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]+/i;
const SLASH = 0x2f;

/** Undefined for a well-formed request. Must be called before the framework rewrites `url`. */
export function findFormFault(request: IncomingMessage): ServiceError | undefined {
  const { httpVersion, headers, url = "" } = request;
  if (countHeaderBytes(request) > HEADER_BYTES_MAX) return new ServiceError("headers_too_large");
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return badRequest("Only HTTP/1.1 and HTTP/1.0 are understood.");
  if (!isReadableTarget(url) && !(url === "*" && request.method === "OPTIONS"))
    return badRequest("The target of the request must be a path or an http address.");
  if (headers.host === undefined && httpVersion === "1.1") return badRequest("The Host header is required.");
  // Two Host headers are joined with a comma and a space, which makes an invalid host.
  if (headers.host !== undefined && !isHost(headers.host)) return badRequest("The Host header is not valid.");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return badRequest("The only transfer coding understood is chunked.");
  return undefined;
}

/** Node's own limit counts names and values only. */
function countHeaderBytes({ method = "", url = "", rawHeaders }: IncomingMessage): number {
  let bytes = method.length + url.length + REQUEST_LINE_REST;
  for (const text of rawHeaders) bytes += text.length + SEPARATOR;
  return bytes;
}

function isHost(host: string): boolean {
  return HOST_NAME.test(host) || isIPv6(HOST_LITERAL.exec(host)?.[1] ?? "");
}

function badRequest(message: string): ServiceError {
  return new ServiceError("bad_request", { message });
}

/** False for `*`, other schemes, and targets without a host. */
function isReadableTarget(target: string): boolean {
  return target.charCodeAt(0) === SLASH || ABSOLUTE_FORM.test(target);
}

/** Expects the path as `rewriteUrl` returns it. */
export function isApiPath(url: string): boolean {
  return API_PATH.test(url);
}

/**
 * Fastify's option: path and query, with a slash at the beginning and escapes only where they are needed, so that routes,
 * limits and headers agree on the path. `*` for unreadable targets.
 */
export function rewriteUrl({ url: target = "/" }: Pick<IncomingMessage, "url">): string {
  const isPlain = target.charCodeAt(0) === SLASH && !target.includes("%") && !target.includes("#");
  if (isPlain) return target;
  return isReadableTarget(target) ? rewriteTarget(target) : "*";
}

function rewriteTarget(target: string): string {
  const [local = ""] = target.replace(ABSOLUTE_FORM, "").split("#", 1);
  const queryAt = local.indexOf("?");
  const path = queryAt === -1 ? local : local.slice(0, queryAt);
  // Only the path: the parameters of the query are decoded later.
  const query = queryAt === -1 ? "" : local.slice(queryAt);
  return (path === "" ? "/" : normalizePath(path)) + query;
}

/** A path that cannot be decoded is taken literally, and ends as 404 like any other unknown path. */
function normalizePath(path: string): string {
  const escaped = path.replaceAll(BAD_ESCAPE, "%25").replaceAll(ESCAPE, decodeUnreserved);
  try {
    decodeURIComponent(escaped);
    return escaped;
  } catch {
    // Escapes of bytes that are not UTF-8.
    return escaped.replaceAll("%", "%25");
  }
}

/** RFC 3986, 6.2.2.2: these escapes mean the same as the characters themselves. */
function decodeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return UNRESERVED.test(character) ? character : escaped;
}
