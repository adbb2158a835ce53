// Estimates the clock of a server from its replies, never ahead of it.

/** The estimate follows a clock that was set back within two windows. */
const WINDOW_MS = 5_000;

export interface ServerClock {
  /** Records the time in a reply. Both in ms, `receivedMs` by the monotonic clock. */
  note(serverMs: number, receivedMs: number): void;
  /** The same, for a reply that proves the estimate wrong: earlier replies are dropped. */
  correct(serverMs: number, receivedMs: number): void;
  /** The time of the server at a time of the monotonic clock; undefined before the first reply. */
  at(monotonicMs: number): number | undefined;
}

/**
 * `serverMs - receivedMs` is the true difference of the clocks minus the time that the reply took. The highest of many
 * is therefore the closest.
 */
export function createServerClock(): ServerClock {
  let highest = -Infinity;
  let highestBefore = -Infinity;
  let windowSinceMs = 0;

  return {
    note(serverMs, receivedMs) {
      if (receivedMs - windowSinceMs >= WINDOW_MS) {
        highestBefore = highest;
        highest = -Infinity;
        windowSinceMs = receivedMs;
      }
      highest = Math.max(highest, serverMs - receivedMs);
    },
    correct(serverMs, receivedMs) {
      highest = serverMs - receivedMs;
      highestBefore = -Infinity;
      windowSinceMs = receivedMs;
    },
    at(monotonicMs) {
      const difference = Math.max(highest, highestBefore);
      return Number.isFinite(difference) ? Math.floor(monotonicMs + difference) : undefined;
    },
  };
}
