// The time as the service sees it; handed in everywhere, so that tests can move it.

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
