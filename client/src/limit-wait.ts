// The wait for a rate limit that all calls of a client share: the first 429 makes all of them wait.

import type { AnimalStoreError } from "./errors.ts";

/** Calls that are sent at once after a wait. If all are refused, these are far fewer refusals than lead to a ban. */
const SLOTS = 6;
/** Retry-After is in whole seconds: two ends within this time are the same limit. */
const ROUNDING_MS = 1_000;

export interface KnownLimit {
  readonly error: AnimalStoreError;
  readonly sinceMs: number;
  readonly endMs: number;
}

export interface LimitWait {
  /** The current limit; undefined where none is known. */
  current(nowMs: number): KnownLimit | undefined;
  /** `error` must have a `retryAfter`. Replaces an older limit. */
  record(error: AnimalStoreError, nowMs: number): void;
  /** Removes a limit: a request that was sent during it has succeeded. */
  lift(limit: KnownLimit): void;
  /** Waits for one of the slots for calls that have waited. Resolves to the function that releases it. */
  takeSlot(signal: AbortSignal | undefined): Promise<() => void>;
}

export function createLimitWait(): LimitWait {
  let known: KnownLimit | undefined;
  let free = SLOTS;
  const waiting: Array<() => void> = [];

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  function current(nowMs: number): KnownLimit | undefined {
    // A time before the start means that the clock was set back: calls would wait too long.
    if (known !== undefined && (nowMs >= known.endMs || nowMs < known.sinceMs)) known = undefined;
    return known;
  }

  return {
    current,
    record(error, nowMs) {
      const endMs = nowMs + (error.retryAfter ?? 0) * 1000;
      const isSame = Math.abs(endMs - (current(nowMs)?.endMs ?? 0)) <= ROUNDING_MS;
      if (!isSame) known = { error, sinceMs: nowMs, endMs };
    },
    lift(limit) {
      if (known === limit) known = undefined;
    },
    async takeSlot(signal) {
      signal?.throwIfAborted();
      if (free > 0) free -= 1;
      else await queue(waiting, signal);
      return release;
    },
  };
}

/** Resolves when a slot is free; leaves the queue and rejects with the reason when the signal is aborted. */
function queue(waiting: Array<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(go), 1);
      reject(signal?.reason);
    };
    waiting.push(go);
    signal?.addEventListener("abort", leave, { once: true });
  });
}
