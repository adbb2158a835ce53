// Decides when a list is read again after changes: many changes cause one read, and there is a time between reads.

/** Changes that come together are read together. */
const GATHER_MS = 200;
const READ_EVERY_MS = 2_000;
const RETRY_MS = 10_000;

export interface Refresher {
  markStale(): void;
  /** Called when any read of the list starts: it will see the changes so far. */
  markFresh(): void;
  /** Whether there are changes that the list does not show. */
  isStale(): boolean;
  stop(): void;
}

/** `read` is postponed while `mayRead` is false, and repeated when it rejects or its result could not be shown. */
export function createRefresher(read: () => Promise<boolean>, mayRead: () => boolean): Refresher {
  let isStale = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function schedule(ms: number): void {
    timer = isStopped ? undefined : setTimeout(() => void run(), ms);
  }

  /** The timer also runs for a while after each read, to keep the next one away. */
  async function run(): Promise<void> {
    if (!isStale) {
      timer = undefined;
      return;
    }
    if (!mayRead()) return schedule(GATHER_MS);
    isStale = false;
    try {
      if (!(await read())) isStale = true;
      schedule(READ_EVERY_MS);
    } catch {
      isStale = true;
      schedule(RETRY_MS);
    }
  }

  return {
    markStale() {
      isStale = true;
      if (timer === undefined) schedule(GATHER_MS);
    },
    markFresh() {
      isStale = false;
    },
    isStale: () => isStale,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
