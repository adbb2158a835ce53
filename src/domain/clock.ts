// The time as the service sees it; handed in everywhere, so that tests can move it.

export interface Clock {
  /** Milliseconds since 1970. May be set back or forward at any time. */
  nowMs(): number;
  /** Milliseconds since some moment. Never set: for ages and time-outs. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
