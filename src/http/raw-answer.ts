// Answers to what never became a request: broken HTTP, oversized headers, clients that are too slow.

import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, ServiceError } from "../domain/errors.ts";
import { budgetAddress } from "./client-address.ts";
import { commonHeaders, JSON_TYPE, makeRequestId } from "./common-headers.ts";
import { endLingering } from "./lingering-close.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { HttpServices } from "./services.ts";

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** The newest answer on each connection, so that rubbish behind a good request does not take the place of its answer. */
export const pendingAnswers = new WeakMap<Socket, ServerResponse>();

export function answerClientError({
  gate,
  log,
  corsOrigins,
}: Pick<HttpServices, "gate" | "log" | "corsOrigins">) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const pending = pendingAnswers.get(socket);
    if (pending?.req.complete && !pending.writableFinished)
      // First of all listeners: for a client that has closed its side, Node closes ours with its own.
      pending.prependOnceListener("finish", () => answer(error, socket));
    else answer(error, socket);
  };

  function answer(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const { body } = new ServiceError(CODES[error.code ?? ""] ?? "bad_request");
    log.debug({ code: error.code }, "a client did not send a readable request");
    const text = JSON.stringify(body);
    const address = budgetAddress(socket.remoteAddress ?? "", socket.remoteAddress);
    const headers = {
      // No request was read, so no origin is known: what is open to all stays open.
      ...commonHeaders(makeRequestId(), corsOrigins === undefined ? "null" : undefined, corsOrigins),
      ...rateHeaders(gate.peekStranger(address)),
      "content-type": JSON_TYPE,
      "content-length": Buffer.byteLength(text),
      connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    endLingering(
      socket,
      `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join("")}\r\n${text}`,
    );
  }
}
