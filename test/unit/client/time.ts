// A manual clock for a client: its waits end when the test moves the clock.

import { setImmediate as nextTick } from "node:timers/promises";
import type { Fetch, Runtime } from "../../../client/src/client.ts";
import { STEP_MS } from "../../harness/runner/patience.ts";

interface Sleeper {
  endMs: number;
  wake: () => void;
}

export interface Time {
  runtime: Pick<Runtime, "sleep" | "nowMs">;
  /** Wraps fetch, to know how many requests are running. */
  watch(fetch: Fetch): Fetch;
  /** Moves the clock and ends the waits that are over by then; a negative time sets the clock back. */
  pass(ms: number): void;
  /** Moves the clock to the end of the next wait, unless a request is running. */
  passToNext(): Promise<void>;
  /** The remaining wait of each call. */
  sleeping(): number[];
  /** Resolves when exactly `count` calls wait and no request is running. */
  untilAsleep(count: number): Promise<void>;
}

export function createTime(startMs: number, onPass: (ms: number) => void = () => {}): Time {
  const sleepers = new Set<Sleeper>();
  let nowMs = startMs;
  let running = 0;

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
      running += 1;
      try {
        return await fetch(url, init);
      } finally {
        running -= 1;
      }
    },
    async passToNext() {
      await nextTick();
      if (running > 0 || sleepers.size === 0) return;
      pass(Math.min(...[...sleepers].map(({ endMs }) => endMs)) - nowMs);
    },
    sleeping: () => [...sleepers].map(({ endMs }) => endMs - nowMs),
    async untilAsleep(count) {
      const endMs = performance.now() + STEP_MS;
      while (sleepers.size !== count || running > 0) {
        if (performance.now() > endMs) throw new Error(`${sleepers.size} calls wait, not ${count}`);
        await nextTick();
      }
    },
  };
}
