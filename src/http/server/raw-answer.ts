// Answers to what never became a request: broken HTTP, oversized headers, clients that are too slow.

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, ServiceError } from "../../domain/errors.ts";
import { makeRequestId } from "../response/common-headers.ts";
import { createErrorHeaders } from "../response/error-headers.ts";
import type { HttpServices } from "../services.ts";
import { endLingering } from "./lingering-close.ts";
import { findLastUnanswered, holdPipeline, isPipelineEnding, type ParserError } from "./pipelines.ts";

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

export function answerClientError(services: Pick<HttpServices, "gate" | "log" | "corsOrigins">) {
  const { log, corsOrigins } = services;
  const errorHeaders = createErrorHeaders(services);
  /** Every further chunk behind a broken one is another error. */
  const broken = new WeakSet<Socket>();

  return (error: ParserError, socket: Socket): void => {
    if (holdPipeline(error, socket)) return;
    // Bytes behind the last request of a connection are ignored.
    if (error.code === "HPE_CLOSED_CONNECTION" || isPipelineEnding(socket) || broken.has(socket)) return;
    broken.add(socket);
    // Bytes that are no request do not take the place of responses to the requests before them.
    const pending = findLastUnanswered(socket);
    if (pending === undefined) answer(error, socket);
    // First of all listeners: for a client that has closed its side, Node closes ours with its own.
    else pending.prependOnceListener("finish", () => answer(error, socket));
  };

  function answer(error: ParserError, socket: Socket): void {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const { body } = new ServiceError(CODES[error.code ?? ""] ?? "bad_request");
    log.debug({ code: error.code }, "a client did not send a readable request");
    const text = JSON.stringify(body);
    // No request was read, so no origin is known: what is open to all stays open.
    const origin = corsOrigins === undefined ? "null" : undefined;
    const sender = { requestId: makeRequestId(), origin, address: socket.remoteAddress };
    const headers = { ...errorHeaders(text, sender), connection: "close" };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    endLingering(
      socket,
      `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join("")}\r\n${text}`,
    );
  }
}
