// Repeats the transactions of an import while the database is unavailable.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { ERRORS, ServiceError } from "../domain/basics/errors.ts";

/** How long an unavailable database is retried. */
const RETRIES_MS = 30_000;
const RETRY_MS = 250;

interface PersistOptions {
  /** Shown when the import is given up. */
  rowsDone: number;
  /** Ends the repetitions with its reason. */
  signal: AbortSignal;
  /** Tests do not wait. */
  wait?: (ms: number) => Promise<unknown>;
}

/** Repeats a transaction whose outcome is unknown; nothing is added twice. */
export async function persist<T>(
  work: () => Promise<T>,
  { rowsDone, signal, wait = pause }: PersistOptions,
): Promise<T> {
  const endMs = performance.now() + RETRIES_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // Another message says what to do instead.
      const isDown = error instanceof ServiceError && error.message === ERRORS.unavailable.message;
      if (!isDown) throw error;
      if (performance.now() > endMs) throw interrupted(error, rowsDone);
      await wait(RETRY_MS);
      signal.throwIfAborted();
    }
  }
}

/** Clients of the service read the message, so only the log and the command show the cause. */
function interrupted({ cause }: ServiceError, rowsDone: number): ServiceError {
  return new ServiceError("unavailable", {
    message: `The database cannot be used. ${rowsDone} rows are done; import the same file again to continue there.`,
    cause,
  });
}
