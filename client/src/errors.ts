// The base of all errors of the client, and the errors of calls without a response of the service.

import type { Access, ErrorCode } from "./generated/shapes.ts";

/**
 * Codes of failures without an error body of the service. `feed_reset` is also a code of the service.
 *
 * @example
 * const isNetworkFault = (code: ErrorCode | ClientErrorCode) => code === "connection_failed" || code === "timed_out";
 */
export type ClientErrorCode = "connection_failed" | "timed_out" | "unexpected_answer" | "feed_reset";

/**
 * The facts about a failed call, from which an error is made. Useful in your own tests.
 *
 * @example
 * const failure: Failure = {
 *   code: "pet_not_found",
 *   message: "No animal has this identifier.",
 *   operation: "getPet",
 *   requestId: "1",
 *   status: 404,
 * };
 * throw new NotFoundError(failure);
 */
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

/**
 * The response is missing or incomplete. The service may have carried out the request.
 *
 * @example
 * try {
 *   await client.getInventory();
 * } catch (error) {
 *   if (error instanceof ConnectionError) console.log(error.cause);
 *   else throw error;
 * }
 */
export class ConnectionError extends AnimalStoreError {
  static {
    ConnectionError.prototype.name = "ConnectionError";
  }
}

/**
 * No response within `timeoutMs`. The service may have carried out the request.
 *
 * @example
 * try {
 *   await client.getInventory({ timeoutMs: 2_000 });
 * } catch (error) {
 *   if (error instanceof TimeoutError) console.log("The service is slow.");
 *   else throw error;
 * }
 */
export class TimeoutError extends AnimalStoreError {
  static {
    TimeoutError.prototype.name = "TimeoutError";
  }
}

/**
 * The response does not come from the service: the page of a proxy, or a redirect.
 *
 * @example
 * try {
 *   await client.getInventory();
 * } catch (error) {
 *   if (error instanceof UnexpectedAnswerError) console.log("Check baseUrl.");
 *   else throw error;
 * }
 */
export class UnexpectedAnswerError extends AnimalStoreError {
  static {
    UnexpectedAnswerError.prototype.name = "UnexpectedAnswerError";
  }
}
