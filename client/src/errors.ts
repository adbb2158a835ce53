// The errors of the client, one class per meaning.

import type { Access, ErrorCode } from "./generated/shapes.ts";

/** Codes of failures without an error body of the service. */
export type ClientErrorCode = "connection_failed" | "timed_out" | "unexpected_answer";

export interface Failure {
  code: ErrorCode | ClientErrorCode;
  message: string;
  /** The operation that failed. */
  operation: string;
  /** The id of the request in the log of the service. */
  requestId: string;
  /** Status of the response, if there was one. */
  status?: number | undefined;
  /** Seconds to wait. */
  retryAfter?: number | undefined;
  neededAccess?: Access | undefined;
  cause?: unknown;
}

/**
 * The base class of all errors of the client.
 *
 * @example
 * try {
 *   await client.createOrder({ petId: 1 });
 * } catch (error) {
 *   if (error instanceof AnimalStoreError) console.log(error.code, error.requestId);
 * }
 */
export class AnimalStoreError extends Error {
  static {
    AnimalStoreError.prototype.name = "AnimalStoreError";
  }
  readonly code: ErrorCode | ClientErrorCode;
  readonly operation: string;
  readonly requestId: string;
  /** Undefined without a response. */
  readonly status: number | undefined;
  /** Seconds to wait before the next attempt, from `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor({ code, message, operation, requestId, status, retryAfter, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.operation = operation;
    this.requestId = requestId;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The request must change: 400, 405, 413, 415, 431. */
export class InvalidRequestError extends AnimalStoreError {
  static {
    InvalidRequestError.prototype.name = "InvalidRequestError";
  }
}

/** The key is missing, unknown, expired or revoked: 401. */
export class AuthenticationError extends AnimalStoreError {
  static {
    AuthenticationError.prototype.name = "AuthenticationError";
  }
}

/** The access level of the key is too low: 403. */
export class AccessError extends AnimalStoreError {
  static {
    AccessError.prototype.name = "AccessError";
  }
  /** The access level that the operation needs. */
  readonly neededAccess: Access | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.neededAccess = failure.neededAccess;
  }
}

/** The animal, order, category or key does not exist: 404. */
export class NotFoundError extends AnimalStoreError {
  static {
    NotFoundError.prototype.name = "NotFoundError";
  }
}

/** The current state does not allow the operation: 409. */
export class ConflictError extends AnimalStoreError {
  static {
    ConflictError.prototype.name = "ConflictError";
  }
}

/** The operation was removed: 410. */
export class OperationRemovedError extends AnimalStoreError {
  static {
    OperationRemovedError.prototype.name = "OperationRemovedError";
  }
}

/** An Idempotency-Key was used with another body: 422. */
export class IdempotencyKeyReusedError extends AnimalStoreError {
  static {
    IdempotencyKeyReusedError.prototype.name = "IdempotencyKeyReusedError";
  }
}

/** Too many requests, or a ban: 429. */
export class RateLimitError extends AnimalStoreError {
  static {
    RateLimitError.prototype.name = "RateLimitError";
  }
}

/** The service is unavailable: 408, 502, 503, 504. Except for 408, it may have carried out the request. */
export class UnavailableError extends AnimalStoreError {
  static {
    UnavailableError.prototype.name = "UnavailableError";
  }
}

/** An internal error of the service: 500. */
export class ServerError extends AnimalStoreError {
  static {
    ServerError.prototype.name = "ServerError";
  }
}

/** The response is missing or incomplete. The service may have carried out the request. */
export class ConnectionError extends AnimalStoreError {
  static {
    ConnectionError.prototype.name = "ConnectionError";
  }
}

/** No response within `timeoutMs`. The service may have carried out the request. */
export class TimeoutError extends AnimalStoreError {
  static {
    TimeoutError.prototype.name = "TimeoutError";
  }
}

/** The response does not come from the service: the page of a proxy, or a redirect. */
export class UnexpectedAnswerError extends AnimalStoreError {
  static {
    UnexpectedAnswerError.prototype.name = "UnexpectedAnswerError";
  }
}
