// Wakes waiting callers when animals change: at once for a change of this node, within a poll for another node's.

/** While someone waits. */
const POLL_MS = 250;

export interface ChangeSignal {
  /** Records the number of a change that this node has made. */
  note(number: number): void;
  /**
   * Resolves when the history has a higher number than `number`, after `waitMs`, when `until` is aborted, or at `end`. May
   * resolve early: the caller reads the history and waits again.
   */
  wait(number: bigint, waitMs: number, until: AbortSignal): Promise<void>;
  /** At the stop of the service: ends all waits. */
  end(): void;
  /** Aborted by `end`. */
  readonly ended: AbortSignal;
}

/** `readNewest` resolves to the newest number of the history; it is called again after an error. */
export function createChangeSignal(readNewest: () => Promise<number>): ChangeSignal {
  const waiting = new Set<{ number: number; wake: () => void }>();
  const ending = new AbortController();
  let newest = 0;
  let notes = 0;
  let poll: NodeJS.Timeout | undefined;

  function wakeBelow(number: number): void {
    for (const each of waiting) if (each.number < number) each.wake();
  }

  async function look(): Promise<void> {
    const notesBefore = notes;
    const found = await readNewest().catch(() => undefined);
    if (found === undefined) return;
    if (found >= newest) {
      newest = found;
      wakeBelow(newest);
    } else if (notes === notesBefore) {
      // The database was set back: everyone has to learn that their position is gone.
      newest = found;
      wakeBelow(Number.POSITIVE_INFINITY);
    }
  }

  function stopWaiting(entry: { number: number; wake: () => void }): void {
    waiting.delete(entry);
    if (waiting.size > 0) return;
    clearInterval(poll);
    poll = undefined;
  }

  return {
    note(number) {
      notes += 1;
      newest = Math.max(newest, number);
      wakeBelow(newest);
    },

    wait: (number, waitMs, until) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          until.removeEventListener("abort", wake);
          stopWaiting(entry);
          resolve();
        };
        const entry = { number: Number(number), wake };
        const timer = setTimeout(wake, waitMs);
        waiting.add(entry);
        until.addEventListener("abort", wake);
        poll ??= setInterval(look, POLL_MS).unref();
        if (until.aborted || ending.signal.aborted || newest > entry.number) wake();
      }),

    end() {
      ending.abort();
      wakeBelow(Number.POSITIVE_INFINITY);
    },

    ended: ending.signal,
  };
}
