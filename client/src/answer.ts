// Reads a response: its value, or the error that it stands for.

import { type AnimalStoreError, type Failure, UnexpectedAnswerError } from "./errors.ts";
import type { Access, ErrorBody } from "./generated/shapes.ts";
import { parseJson } from "./json.ts";
import type { ServiceRequest } from "./request.ts";
import {
  AccessError,
  AuthenticationError,
  ConflictError,
  FeedResetError,
  IdempotencyKeyReusedError,
  InvalidRequestError,
  NotFoundError,
  OperationRemovedError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  UnavailableError,
} from "./service-errors.ts";

const BY_STATUS: Readonly<Record<number, typeof AnimalStoreError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: AccessError,
  404: NotFoundError,
  405: InvalidRequestError,
  408: UnavailableError,
  409: ConflictError,
  410: OperationRemovedError,
  412: PreconditionFailedError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: IdempotencyKeyReusedError,
  429: RateLimitError,
  431: InvalidRequestError,
  500: ServerError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
};

/** The parts of a response that are read, and its whole body. */
export interface Received {
  response: Pick<Response, "ok" | "status" | "headers">;
  text: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Undefined for a response without a body. */
  body: unknown;
}

/** Throws the error that the response stands for. */
export function readAnswer(request: ServiceRequest, { response, text }: Received, nowMs: number): Answer {
  const { status, headers } = response;
  const isUnchanged = status === 304 && request.headers["if-none-match"] !== undefined;
  if (!response.ok && !isUnchanged) throw readError(request, response, text, nowMs);
  try {
    if (status === 204 || isUnchanged) return { status, headers, body: undefined };
    return { status, headers, body: request.operation.isFile ? text : parseJson(text) };
  } catch (cause) {
    throw unexpectedAnswer(request, response, cause);
  }
}

export function unexpectedAnswer(
  { name, requestId }: ServiceRequest,
  { status, headers }: Pick<Response, "status" | "headers">,
  cause?: unknown,
): UnexpectedAnswerError {
  return new UnexpectedAnswerError({
    code: "unexpected_answer",
    message: `The response (status ${status}) does not come from the service. Check baseUrl.`,
    operation: name,
    requestId: headers.get("x-request-id") ?? requestId,
    status,
    cause,
  });
}

/** The error that a response stands for. */
export function readError(
  request: ServiceRequest,
  response: Pick<Response, "status" | "headers">,
  text: string,
  nowMs: number,
): AnimalStoreError {
  const { status, headers } = response;
  const { code, message }: Pick<Failure, "code" | "message"> =
    readErrorBody(text) ?? unexpectedAnswer(request, response);
  const failure: Failure = {
    code,
    message,
    operation: request.name,
    requestId: headers.get("x-request-id") ?? request.requestId,
    status,
    retryAfter: readRetryAfter(headers.get("retry-after"), nowMs),
    neededAccess: /scope="(\w+)"/.exec(headers.get("www-authenticate") ?? "")?.[1] as Access | undefined,
  };
  const ErrorClass = code === "feed_reset" ? FeedResetError : BY_STATUS[status];
  return new (ErrorClass ?? UnexpectedAnswerError)(failure);
}

/** Undefined where the body is not an error of the service, such as the page of a proxy. */
function readErrorBody(text: string): ErrorBody | undefined {
  try {
    const body = parseJson(text) as ErrorBody | null;
    return typeof body?.code === "string" && typeof body.message === "string" ? body : undefined;
  } catch {
    return undefined;
  }
}

/** In seconds; the header holds seconds or a date. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\s*[0-9]+\s*$/.test(header)) return Number(header);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}
