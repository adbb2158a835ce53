// Runs a limited number of jobs at a time; the others wait in order, up to their deadline.

import { performance } from "node:perf_hooks";

/** The returned function throws the error of `onTimeout` for a job that could not start by `endMs` of `performance.now()`. */
export function createTurnstile(max: number, onTimeout: () => Error) {
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

  return async <T>(endMs: number, work: () => Promise<T>): Promise<T> => {
    if (inside < max) inside += 1;
    else await waitFor(endMs);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
