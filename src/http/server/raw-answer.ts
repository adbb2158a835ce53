// Responses to bytes that never became a request: broken HTTP, oversized headers, slow clients.

import type { Socket } from "node:net";
import { type ErrorCode, ServiceError } from "../../domain/basics/errors.ts";
import { http } from "../../tools/node-http.ts";
import { makeRequestId } from "../headers/common-headers.ts";
import { createErrorHeaders } from "../replies/answer-error.ts";
import type { HttpServices } from "../services.ts";
import { endLingering } from "./lingering-close.ts";
import {
  findLastUnanswered,
  holdPipeline,
  isPipelineEnding,
  type ParserError,
  type Pipeline,
} from "./pipelines.ts";

/** Node's error for a request that has not arrived in time. */
const LATE = "ERR_HTTP_REQUEST_TIMEOUT";
/** Our own for a request that has not arrived when the service ends. */
export const STOPPING = "SERVICE_STOPPING";

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  [LATE]: "request_timeout",
  [STOPPING]: "request_timeout",
};

/** Listener for the server's `clientError` event. */
export function answerClientError(services: Pick<HttpServices, "gate" | "log" | "corsOrigins">) {
  const { log, corsOrigins } = services;
  const errorHeaders = createErrorHeaders(services);

  return (error: ParserError, socket: Socket): void => {
    const pipeline = socket.pipeline as Pipeline;
    if (holdPipeline(error, pipeline)) return;
    // Bytes after the last request of a connection are ignored.
    if (error.code === "HPE_CLOSED_CONNECTION" || isPipelineEnding(pipeline) || pipeline.isBroken) return;
    // An upload has more time than other requests, and upload.ts limits it.
    if (error.code === LATE && pipeline.isUploading) return;
    pipeline.isBroken = true;
    // The responses to the requests before the broken bytes come first.
    const pending = findLastUnanswered(pipeline);
    if (pending === undefined) answer(error, socket);
    // First of all listeners: for a client that has closed its side, Node closes ours in its own listener.
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
    // The origin is unknown because no request was read; a service that is open to all origins stays so.
    const origin = corsOrigins === undefined ? "null" : undefined;
    const sender = { requestId: makeRequestId(), origin, address: socket.remoteAddress };
    const headers = { ...errorHeaders(text, sender), connection: "close" };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    endLingering(
      socket,
      `HTTP/1.1 ${body.status} ${http.STATUS_CODES[body.status]}\r\n${lines.join("")}\r\n${text}`,
    );
  }
}
