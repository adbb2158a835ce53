// The form of a request as RFC 9112 wants it, where Node's parser is more lenient. Checked before anything else.

import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { ServiceError } from "../../domain/errors.ts";
import { HEADER_BYTES_MAX } from "../../domain/request-limits.ts";
import { isReadableTarget } from "./request-target.ts";

/** What a request line has besides method and target: two spaces, the version, the line's end. */
const REQUEST_LINE_REST = " ".length + " HTTP/1.1\r\n".length;
/** Half of what a header line has besides name and value. */
const SEPARATOR = ": ".length;

const HOST_NAME = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(?::[0-9]{0,5})?$/;
const HOST_LITERAL = /^\[([0-9A-Fa-f:.]+)\](?::[0-9]{0,5})?$/;

/** Undefined for a request in good form. */
export function findFormFault(request: IncomingMessage): ServiceError | undefined {
  const { httpVersion, headers } = request;
  if (countHeaderBytes(request) > HEADER_BYTES_MAX) return new ServiceError("headers_too_large");
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return badRequest("Only HTTP/1.1 and HTTP/1.0 are understood.");
  const target = targetOf(request);
  if (!isReadableTarget(target) && !(target === "*" && request.method === "OPTIONS"))
    return badRequest("The target of the request must be a path or an http address.");
  if (headers.host === undefined && httpVersion === "1.1") return badRequest("The Host header is required.");
  // Two of them come as one text with a comma and a space, which is no host.
  if (headers.host !== undefined && !isHost(headers.host)) return badRequest("The Host header is not valid.");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return badRequest("The only transfer coding understood is chunked.");
  return undefined;
}

/** As sent: the framework writes another form of it into `url`. */
function targetOf(request: IncomingMessage & { originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? "";
}

/** Node's own bound counts names and values alone. */
function countHeaderBytes(request: IncomingMessage): number {
  const { method = "", rawHeaders } = request;
  let bytes = method.length + targetOf(request).length + REQUEST_LINE_REST;
  for (const text of rawHeaders) bytes += text.length + SEPARATOR;
  return bytes;
}

/** Most clients name the same host; matching it for each request would take 0.3 µs. */
let lastHost = "";

function isHost(host: string): boolean {
  if (host === lastHost && host !== "") return true;
  const [, address = ""] = HOST_LITERAL.exec(host) ?? [];
  if (!HOST_NAME.test(host) && !isIPv6(address)) return false;
  lastHost = host;
  return true;
}

function badRequest(message: string): ServiceError {
  return new ServiceError("bad_request", { message });
}
