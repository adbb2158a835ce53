// Writes every error as an Error body: the service's own errors, Fastify's, and unexpected ones.

import type { FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, ServiceError } from "../../domain/errors.ts";
import { endConnection, JSON_TYPE } from "./common-headers.ts";

const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad_request",
  FST_ERR_BAD_URL: "bad_request",
  // The client disconnected while sending its body; the response is only counted and logged.
  ECONNRESET: "bad_request",
};

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asServiceError(error);
  if (known.code === "internal_error")
    request.log.error({ reqId: request.id, err: error }, "a handler failed");
  if (known.code === "unavailable")
    request.log.warn({ reqId: request.id, err: known.cause ?? known }, "unavailable");
  // The rest of an oversized body is not read; lingering-close.ts makes sure that the client gets this response.
  if (known.code === "body_too_large") endConnection(request, reply);
  if (known.retryAfterSeconds !== undefined) reply.header("retry-after", known.retryAfterSeconds);
  const { body } = known;
  return reply
    .code(body.status)
    .type(JSON_TYPE)
    .serializer(JSON.stringify as (payload: unknown) => string)
    .send(body);
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = FASTIFY_CODES[(error as { code?: string } | undefined)?.code ?? ""];
  return new ServiceError(code ?? "internal_error", { cause: error });
}
