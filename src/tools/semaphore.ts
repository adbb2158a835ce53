// Runs a limited number of jobs at a time; the others wait in order, up to their deadline.

import { performance } from "node:perf_hooks";

/** The returned function throws the error of `onTimeout` for a job that could not start by `endMs` of `performance.now()`. */
export function createSemaphore(max: number, onTimeout: () => Error) {
  let running = 0;
  const waiting = new Set<() => void>();

  function waitFor(endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(onTimeout());
      }, endMs - performance.now());
      waiting.add(start);
    });
  }

  function release(): void {
    const [next] = waiting;
    if (next === undefined) {
      running -= 1;
      return;
    }
    // The next job takes over this place, so that a new caller cannot overtake it.
    waiting.delete(next);
    next();
  }

  return async <T>(endMs: number, work: () => Promise<T>): Promise<T> => {
    if (running < max) running += 1;
    else await waitFor(endMs);
    try {
      return await work();
    } finally {
      release();
    }
  };
}
