// Writes every error as an Error body: the service's own errors, Fastify's, and failures outside the framework.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, ServiceError } from "../../domain/basics/errors.ts";
import { budgetAddress } from "../headers/client-address.ts";
import {
  commonHeaders,
  endConnection,
  type Headers,
  JSON_TYPE,
  rateHeaders,
  requestIdOf,
} from "../headers/common-headers.ts";
import type { HttpServices } from "../services.ts";

const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_BAD_URL: "bad_request",
  // The client disconnected while sending its body; the response is only counted and logged.
  ECONNRESET: "bad_request",
};

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = logError(error, request);
  // The rest of the body is not read; lingering-close.ts makes sure that the client gets this response.
  const isUnread = request.route?.config.upload === "file" && !request.raw.complete;
  if (known.code === "body_too_large" || isUnread) endConnection(request, reply);
  if (known.retryAfterSeconds !== undefined) reply.header("retry-after", known.retryAfterSeconds);
  const { body } = known;
  return reply
    .code(body.status)
    .type(JSON_TYPE)
    .serializer(JSON.stringify as (payload: unknown) => string)
    .send(body);
}

/** The error as clients see it. Writes to the log what an operator has to know. */
export function logError(error: unknown, request: FastifyRequest): ServiceError {
  const known = asServiceError(error);
  if (known.code === "internal_error")
    request.log.error({ reqId: request.id, err: error }, "a handler failed");
  if (known.code === "unavailable")
    request.log.warn({ reqId: request.id, err: known.cause ?? known }, "unavailable");
  return known;
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = FASTIFY_CODES[(error as { code?: string } | undefined)?.code ?? ""];
  return new ServiceError(code ?? "internal_error", { cause: error });
}

interface Sender {
  requestId: string;
  origin: string | undefined;
  /** Address of the socket; undefined if the client has disconnected. */
  address: string | undefined;
}

export function createErrorHeaders({ gate, corsOrigins }: Pick<HttpServices, "gate" | "corsOrigins">) {
  return (text: string, { requestId, origin, address }: Sender): Headers => ({
    ...commonHeaders(requestId, origin, corsOrigins),
    ...rateHeaders(gate.peekAnonymous(budgetAddress(address, address))),
    "content-type": JSON_TYPE,
    "content-length": Buffer.byteLength(text),
  });
}

/** The last resort for a request that failed outside the framework: 500 for this request, no effect on others. */
export function createFaultAnswer(services: Pick<HttpServices, "gate" | "log" | "corsOrigins">) {
  const errorHeaders = createErrorHeaders(services);

  return (
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    fault: unknown,
  ): void => {
    const requestId = requestIdOf(request);
    services.log.error({ reqId: requestId, err: fault }, "a request failed outside the framework");
    if (response.headersSent) {
      // A response that was begun cannot become another one; a complete one stays.
      if (!response.writableEnded) response.destroy();
      return;
    }
    const text = JSON.stringify(new ServiceError("internal_error").body);
    const { origin } = request.headers;
    response.writeHead(500, errorHeaders(text, { requestId, origin, address: request.socket.remoteAddress }));
    response.end(text);
  };
}
