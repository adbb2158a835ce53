// Every way a call can fail, one class per meaning.

import type { Access, ErrorCode } from "./generated/shapes.ts";

/** Codes of failures that no Error body came with. */
export type ClientErrorCode = "connection_failed" | "timed_out" | "unexpected_answer";

export interface Failure {
  code: ErrorCode | ClientErrorCode;
  message: string;
  /** The operation that failed. */
  operation: string;
  /** The log of the service has the request under this. */
  requestId: string;
  /** Of the answer; absent when there was none. */
  status?: number | undefined;
  /** Seconds to wait. */
  retryAfter?: number | undefined;
  neededAccess?: Access | undefined;
  cause?: unknown;
}

export class AnimalStoreError extends Error {
  static {
    AnimalStoreError.prototype.name = "AnimalStoreError";
  }
  readonly code: ErrorCode | ClientErrorCode;
  readonly operation: string;
  readonly requestId: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  /** Seconds to wait before the next attempt, where the service has said so. */
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

/** The key may not do this: 403. */
export class AccessError extends AnimalStoreError {
  static {
    AccessError.prototype.name = "AccessError";
  }
  /** What the key would have to be allowed. */
  readonly neededAccess: Access | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.neededAccess = failure.neededAccess;
  }
}

/** There is no such animal, order, category or key: 404. */
export class NotFoundError extends AnimalStoreError {
  static {
    NotFoundError.prototype.name = "NotFoundError";
  }
}

/** The state of things does not allow it: 409. */
export class ConflictError extends AnimalStoreError {
  static {
    ConflictError.prototype.name = "ConflictError";
  }
}

/** The operation is no more: 410. */
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

/** The service cannot do it now: 408, 502, 503, 504. But for 408 it may have done it all the same. */
export class UnavailableError extends AnimalStoreError {
  static {
    UnavailableError.prototype.name = "UnavailableError";
  }
}

/** Something broke inside the service: 500. */
export class ServerError extends AnimalStoreError {
  static {
    ServerError.prototype.name = "ServerError";
  }
}

/** No answer came, or not all of it. The service may have done what was asked. */
export class ConnectionError extends AnimalStoreError {
  static {
    ConnectionError.prototype.name = "ConnectionError";
  }
}

/** No answer came within `timeoutMs`. The service may have done what was asked. */
export class TimeoutError extends AnimalStoreError {
  static {
    TimeoutError.prototype.name = "TimeoutError";
  }
}

/** What answered is not the service: a page of a proxy, a redirect. */
export class UnexpectedAnswerError extends AnimalStoreError {
  static {
    UnexpectedAnswerError.prototype.name = "UnexpectedAnswerError";
  }
}
