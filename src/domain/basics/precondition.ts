// Preconditions: the state that a caller expects before it changes or deletes something.

import { ServiceError } from "./errors.ts";

/** Whether the current state is the one that the caller has seen. Stores call it in the transaction of the change. */
export type Precondition<T> = (current: T) => boolean;

/** Throws `precondition_failed`. Call it with a locked row, so that one of several callers with the same state succeeds. */
export function requirePrecondition<T>(precondition: Precondition<T> | undefined, current: T): void {
  if (precondition?.(current) === false) throw new ServiceError("precondition_failed");
}
