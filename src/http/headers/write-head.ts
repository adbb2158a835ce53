// Writes the head of a response whose header lines are text already.

import type { ServerResponse } from "node:http";
import { http } from "../../tools/node-http.ts";

/**
 * The methods that Node's own `writeHead` calls. They are not documented, but `writeHead` checks and joins every name and
 * value: 6.3 instead of 1.7 µs for the head of a list. The tests of the fast path fail if Node changes them.
 */
interface NodeResponse extends ServerResponse {
  _hasBody: boolean;
  /** Adds Date, Connection and Keep-Alive, and keeps the result until the first write. */
  _storeHeader(start: string, headers: string[]): void;
}

/**
 * `lines` end with CRLF each. Nothing checks them here: text of a client must have been checked before. Without `bytes`
 * there is no body.
 */
export function writeHead(response: ServerResponse, status: number, lines: string, bytes?: number): void {
  const node = response as NodeResponse;
  node.statusCode = status;
  node._hasBody = bytes !== undefined;
  const length = bytes === undefined ? [] : ["content-length", String(bytes)];
  node._storeHeader(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines}`, length);
}

export function headerLines(headers: Record<string, string | number>): string {
  let lines = "";
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return lines;
}
