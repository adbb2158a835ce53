// Runs a limited number of jobs at a time; the others wait in order, up to their deadline.

import { performance } from "node:perf_hooks";

export interface Turnstile {
  /** Throws the error of `onTimeout` if the job could not start by `endMs`, a time of `performance.now()`. */
  pass<T>(endMs: number, work: () => Promise<T>): Promise<T>;
}

export function createTurnstile(max: number, onTimeout: () => Error): Turnstile {
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
        reject(onTimeout());
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
    // The next job takes over this place, so that a new caller cannot overtake it.
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
