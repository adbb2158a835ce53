// The clock of the service, injected everywhere so that tests can set it.

export interface Clock {
  /** Milliseconds since 1970. May be set back or forward at any time. */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment. Never set back or forward: for ages and time-outs. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
