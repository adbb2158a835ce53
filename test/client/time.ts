// Time for a client under test: its waits end when the test lets time pass, however long they are.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Fetch, Runtime } from "../../client/src/client.ts";

/** A test that waits in vain fails with words. */
const PATIENCE_MS = 5_000;

interface Sleeper {
  endMs: number;
  wake: () => void;
}

export interface Time {
  runtime: Pick<Runtime, "sleep" | "nowMs">;
  /** A fetch whose calls are known to be under way. */
  watch(fetch: Fetch): Fetch;
  /** Ends the waits that are over by then; a negative time sets the clock back. */
  pass(ms: number): void;
  /** Until nothing is under way and the next wait can end, and to its end. */
  passToNext(): Promise<void>;
  /** How long each call is still to wait. */
  sleeping(): number[];
  untilAsleep(count: number): Promise<void>;
}

export function createTime(startMs: number, onPass: (ms: number) => void = () => {}): Time {
  const sleepers = new Set<Sleeper>();
  let nowMs = startMs;
  let underWay = 0;

  function pass(ms: number): void {
    nowMs += ms;
    onPass(ms);
    for (const sleeper of [...sleepers]) if (sleeper.endMs <= nowMs) sleeper.wake();
  }

  return {
    pass,
    runtime: {
      nowMs: () => nowMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const end = (how: () => void) => {
            sleepers.delete(sleeper);
            signal?.removeEventListener("abort", stop);
            how();
          };
          const stop = () => end(() => reject(signal?.reason));
          const sleeper = { endMs: nowMs + ms, wake: () => end(resolve) };
          sleepers.add(sleeper);
          signal?.addEventListener("abort", stop);
        }),
    },
    watch: (fetch) => async (url, init) => {
      underWay += 1;
      try {
        return await fetch(url, init);
      } finally {
        underWay -= 1;
      }
    },
    async passToNext() {
      await nextTurn();
      if (underWay > 0 || sleepers.size === 0) return;
      pass(Math.min(...[...sleepers].map(({ endMs }) => endMs)) - nowMs);
    },
    sleeping: () => [...sleepers].map(({ endMs }) => endMs - nowMs),
    async untilAsleep(count) {
      const endMs = performance.now() + PATIENCE_MS;
      while (sleepers.size !== count || underWay > 0) {
        if (performance.now() > endMs) throw new Error(`${sleepers.size} calls wait, not ${count}`);
        await nextTurn();
      }
    },
  };
}
