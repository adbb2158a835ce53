// What time it is at a Redis server, estimated from its replies and never ahead of it.

/** A clock that was set back is noticed within two of these. */
const WINDOW_MS = 5_000;

export interface ServerClock {
  /** A reply that gives the server's time has arrived. Both in ms, `receivedMs` by the monotonic clock. */
  note(serverMs: number, receivedMs: number): void;
  /** The same, for a reply that proves the estimate wrong. */
  correct(serverMs: number, receivedMs: number): void;
  /** The server's time at a moment of the monotonic clock; undefined before the first reply. */
  at(monotonicMs: number): number | undefined;
}

/**
 * The server wrote its time before the reply arrived, so `serverMs - receivedMs` is below the true difference of the
 * clocks by as long as the reply took. The highest of many is the closest one.
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
