// Answers to what never became a request: broken HTTP, oversized headers, clients that are too slow.

import { IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, ServiceError } from "../domain/errors.ts";
import { budgetAddress } from "./client-address.ts";
import { commonHeaders, requestIdOf } from "./common-headers.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { HttpServices } from "./services.ts";

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

export function answerClientError({ gate, log }: Pick<HttpServices, "gate" | "log">) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const { body } = new ServiceError(CODES[error.code ?? ""] ?? "bad_request");
    log.debug({ code: error.code }, "a client did not send a readable request");
    const text = JSON.stringify(body);
    const address = budgetAddress(socket.remoteAddress ?? "", socket.remoteAddress);
    const headers = {
      ...commonHeaders(requestIdOf(new IncomingMessage(socket)), undefined, undefined),
      ...rateHeaders(gate.peekStranger(address)),
      // No request was read, so nobody's origin is known; the answer holds nothing of anyone's.
      "access-control-allow-origin": "*",
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
      connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join("")}\r\n${text}`);
  };
}
