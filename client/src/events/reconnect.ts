// How long a follower waits before it opens the stream again. A pure function.

/** Until the service sends `retry:`. */
const DEFAULT_RETRY_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

interface Ended {
  /** From the service. */
  retryMs: number | undefined;
  /** Streams in a row that brought nothing. */
  failures: number;
  /** At least 0 and less than 1. */
  random: number;
}

/** At least `retryMs`, doubled with every failure, and up to 50 % more, so that not all clients connect at the same moment. */
export function reconnectWaitMs({ retryMs = DEFAULT_RETRY_MS, failures, random }: Ended): number {
  const backoffMs = Math.min(LONGEST_WAIT_MS, retryMs * 2 ** Math.max(0, failures - 1));
  return Math.ceil(Math.max(1, backoffMs) * (1 + random / 2));
}
