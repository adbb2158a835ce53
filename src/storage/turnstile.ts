// Lets a limited number through at a time; the others wait, but not longer than they may.

import { performance } from "node:perf_hooks";
import { ServiceError } from "../domain/errors.ts";

export interface Turnstile {
  /** Throws `unavailable` for work that could not begin by `endMs`, a time of `performance.now()`. */
  pass<T>(endMs: number, work: () => Promise<T>): Promise<T>;
}

export function createTurnstile(max: number): Turnstile {
  let inside = 0;
  const waiting = new Set<() => void>();

  function waitFor(endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(enter);
        reject(new ServiceError("unavailable", { retryAfterSeconds: 1 }));
      }, endMs - performance.now());
      waiting.add(enter);
    });
  }

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      inside -= 1;
      return;
    }
    // The place is handed on: nobody gets in between.
    waiting.delete(next);
    next();
  }

  return {
    async pass(endMs, work) {
      if (inside < max) inside += 1;
      else await waitFor(endMs);
      return work().finally(leave);
    },
  };
}
