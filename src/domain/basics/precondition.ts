// What a caller expects of the current state of a thing before it changes or deletes it.

import { ServiceError } from "./errors.ts";

/** Whether the current state is the one that the caller has seen. Stores call it in the transaction of the change. */
export type Precondition<T> = (current: T) => boolean;

/** Throws `precondition_failed`. Call it with a locked row, so that of several callers with the same state one succeeds. */
export function requirePrecondition<T>(precondition: Precondition<T> | undefined, current: T): void {
  if (precondition?.(current) === false) throw new ServiceError("precondition_failed");
}
