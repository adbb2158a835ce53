// The wait that all calls of a client share: the first 429 tells them all when to go on.

import type { AnimalStoreError } from "./errors.ts";

/** Refusals that the calls after a wait can cause together: far fewer than lead to a ban. */
const TURNS = 6;
/** Retry-After is in whole seconds: two ends that are this near to each other are one. */
const ROUNDING_MS = 1_000;

export interface KnownLimit {
  readonly error: AnimalStoreError;
  readonly sinceMs: number;
  readonly endMs: number;
}

export interface LimitWait {
  /** The limit in force; undefined where none is known. */
  current(nowMs: number): KnownLimit | undefined;
  /** `error` must say when it ends. The newest counts: it is how things stand. */
  note(error: AnimalStoreError, nowMs: number): void;
  /** A request that was sent during the limit was served: it is no more. */
  lift(limit: KnownLimit): void;
  /** Calls that have waited are sent a few at a time, so that few of them run into the next limit. */
  takeTurn(signal: AbortSignal | undefined): Promise<() => void>;
}

export function createLimitWait(): LimitWait {
  let known: KnownLimit | undefined;
  let free = TURNS;
  const waiting: Array<() => void> = [];

  function giveBack(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  function current(nowMs: number): KnownLimit | undefined {
    // Before its beginning: the clock was set back, and would make calls wait for longer than was asked for.
    if (known !== undefined && (nowMs >= known.endMs || nowMs < known.sinceMs)) known = undefined;
    return known;
  }

  return {
    current,
    note(error, nowMs) {
      const endMs = nowMs + (error.retryAfter ?? 0) * 1000;
      const isSame = Math.abs(endMs - (current(nowMs)?.endMs ?? 0)) <= ROUNDING_MS;
      if (!isSame) known = { error, sinceMs: nowMs, endMs };
    },
    lift(limit) {
      if (known === limit) known = undefined;
    },
    async takeTurn(signal) {
      signal?.throwIfAborted();
      if (free > 0) free -= 1;
      else await queue(waiting, signal);
      return giveBack;
    },
  };
}

/** Resolves when it is called from the queue; rejects with the signal's reason and leaves the queue. */
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
