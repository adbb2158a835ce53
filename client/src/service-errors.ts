// The errors that the service responds with, one class per meaning.

import { AnimalStoreError, type Failure } from "./errors.ts";
import type { Access } from "./generated/shapes.ts";

/**
 * The request must change: 400, 405, 413, 415, 431.
 *
 * @example
 * try {
 *   await client.createPet({ name: "", categoryId: 3 });
 * } catch (error) {
 *   if (error instanceof InvalidRequestError) console.log(error.message);
 *   else throw error;
 * }
 */
export class InvalidRequestError extends AnimalStoreError {
  static {
    InvalidRequestError.prototype.name = "InvalidRequestError";
  }
}

/**
 * The key is missing, unknown, expired or revoked: 401.
 *
 * @example
 * try {
 *   await client.getUsage();
 * } catch (error) {
 *   if (error instanceof AuthenticationError) console.log("Use another key.");
 *   else throw error;
 * }
 */
export class AuthenticationError extends AnimalStoreError {
  static {
    AuthenticationError.prototype.name = "AuthenticationError";
  }
}

/**
 * The access level of the key is too low: 403.
 *
 * @example
 * try {
 *   await client.deletePet(1);
 * } catch (error) {
 *   if (error instanceof AccessError) console.log(`The key needs access ${error.neededAccess}.`);
 *   else throw error;
 * }
 */
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

/**
 * The animal, order, category or key does not exist: 404.
 *
 * @example
 * try {
 *   await client.getOrder(1);
 * } catch (error) {
 *   if (error instanceof NotFoundError) console.log("There is no such order.");
 *   else throw error;
 * }
 */
export class NotFoundError extends AnimalStoreError {
  static {
    NotFoundError.prototype.name = "NotFoundError";
  }
}

/**
 * The current state does not allow the operation: 409.
 *
 * @example
 * try {
 *   await client.createOrder({ petId: 1 });
 * } catch (error) {
 *   if (error instanceof ConflictError) console.log(error.code); // pet_not_available
 *   else throw error;
 * }
 */
export class ConflictError extends AnimalStoreError {
  static {
    ConflictError.prototype.name = "ConflictError";
  }
}

/**
 * The operation was removed: 410.
 *
 * @example
 * try {
 *   await client.getPet(1);
 * } catch (error) {
 *   if (error instanceof OperationRemovedError) console.log(error.message);
 *   else throw error;
 * }
 */
export class OperationRemovedError extends AnimalStoreError {
  static {
    OperationRemovedError.prototype.name = "OperationRemovedError";
  }
}

/**
 * The position in the feed is not valid any more: 410. The store was restored or copied, or the events after the position
 * are no longer kept. Take a new position with `latestCursor`, read the lists again, and follow from there.
 *
 * @example
 * try {
 *   for await (const event of client.events({ after: "5f0c2b1d-4711" })) console.log(event.type);
 * } catch (error) {
 *   if (error instanceof FeedResetError) console.log("Read the lists again.");
 *   else throw error;
 * }
 */
export class FeedResetError extends AnimalStoreError {
  static {
    FeedResetError.prototype.name = "FeedResetError";
  }
}

/**
 * The animal or the order is not the one of `ifMatch` any more, and nothing was changed: 412. Read it again, and decide then.
 *
 * @example
 * const order = await client.getOrder(1);
 * try {
 *   await client.updateOrder(1, { status: "approved" }, { ifMatch: etagOf(order) });
 * } catch (error) {
 *   if (error instanceof PreconditionFailedError) console.log("The order has changed.");
 *   else throw error;
 * }
 */
export class PreconditionFailedError extends AnimalStoreError {
  static {
    PreconditionFailedError.prototype.name = "PreconditionFailedError";
  }
}

/**
 * An Idempotency-Key was used with another body: 422.
 *
 * @example
 * try {
 *   await client.createOrder({ petId: 1 }, { idempotencyKey: "case-4711" });
 * } catch (error) {
 *   if (error instanceof IdempotencyKeyReusedError) console.log("Use a new key for each request.");
 *   else throw error;
 * }
 */
export class IdempotencyKeyReusedError extends AnimalStoreError {
  static {
    IdempotencyKeyReusedError.prototype.name = "IdempotencyKeyReusedError";
  }
}

/**
 * Too many requests, or a ban: 429.
 *
 * @example
 * try {
 *   await client.getInventory({ retries: 0 });
 * } catch (error) {
 *   if (error instanceof RateLimitError) console.log(`Try again in ${error.retryAfter} seconds.`);
 *   else throw error;
 * }
 */
export class RateLimitError extends AnimalStoreError {
  static {
    RateLimitError.prototype.name = "RateLimitError";
  }
}

/**
 * The service is unavailable: 408, 502, 503, 504. Except for 408, it may have carried out the request.
 *
 * @example
 * try {
 *   await client.getInventory();
 * } catch (error) {
 *   if (error instanceof UnavailableError) console.log("Try again later.");
 *   else throw error;
 * }
 */
export class UnavailableError extends AnimalStoreError {
  static {
    UnavailableError.prototype.name = "UnavailableError";
  }
}

/**
 * An internal error of the service: 500.
 *
 * @example
 * try {
 *   await client.getInventory();
 * } catch (error) {
 *   if (error instanceof ServerError) console.log(`Report it with the id ${error.requestId}.`);
 *   else throw error;
 * }
 */
export class ServerError extends AnimalStoreError {
  static {
    ServerError.prototype.name = "ServerError";
  }
}
