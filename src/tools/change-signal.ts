// Wakes waiting callers when animals change: at once for a change of this node, within a poll for another node's. Also
// calls listeners when this node has changed a key.

const POLL_MS = 250;

export interface ChangeSignal {
  /** Records the number of a change that this node has made. */
  note(number: number): void;
  /** The history was set back to this number: ends all waits, because their positions are gone. */
  setBack(number: number): void;
  /**
   * Resolves when the history has a higher number than `number`, after `waitMs`, when `until` is aborted, or at `end`. May
   * resolve early: the caller reads the history and waits again.
   */
  wait(number: bigint, waitMs: number, until: AbortSignal): Promise<void>;
  /** Resolves when all listeners have acted. */
  noteKey(id: bigint): Promise<void>;
  onKeyChanged(listener: (id: bigint) => Promise<void>): void;
  /** At the stop of the service: ends all waits. */
  end(): void;
  readonly ended: AbortSignal;
}

/** `readNewest` resolves to the newest number of the history; it is called again after an error. */
export function createChangeSignal(readNewest: () => Promise<number>): ChangeSignal {
  const ending = new AbortController();
  const waits = createWaits(look);
  const keyListeners: Array<(id: bigint) => Promise<void>> = [];
  let newest = 0;
  let notes = 0;

  async function look(): Promise<void> {
    const notesBefore = notes;
    const found = await readNewest().catch(() => undefined);
    if (found === undefined) return;
    if (found >= newest) {
      newest = found;
      waits.endBelow(newest);
    } else if (notes === notesBefore) setBack(found);
  }

  function setBack(number: number): void {
    newest = number;
    waits.endBelow(Number.POSITIVE_INFINITY);
  }

  return {
    note(number) {
      notes += 1;
      newest = Math.max(newest, number);
      waits.endBelow(newest);
    },
    setBack,
    wait(number, waitMs, until) {
      const waiting = waits.add(Number(number), waitMs, until);
      waits.endBelow(ending.signal.aborted ? Number.POSITIVE_INFINITY : newest);
      return waiting;
    },
    async noteKey(id) {
      await Promise.all(keyListeners.map((listener) => listener(id)));
    },
    onKeyChanged: (listener) => void keyListeners.push(listener),
    end() {
      ending.abort();
      waits.endBelow(Number.POSITIVE_INFINITY);
    },
    ended: ending.signal,
  };
}

/** The callers that wait. While there are some, `look` is called every POLL_MS. */
function createWaits(look: () => Promise<void>) {
  const waiting = new Set<{ number: number; wake: () => void }>();
  let poll: NodeJS.Timeout | undefined;

  return {
    endBelow(number: number): void {
      for (const each of waiting) if (each.number < number) each.wake();
    },
    async add(number: number, waitMs: number, until: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      const entry = { number, wake };
      waiting.add(entry);
      poll ??= setInterval(look, POLL_MS).unref();
      const timer = setTimeout(wake, waitMs);
      until.addEventListener("abort", wake);
      if (until.aborted) wake();
      await promise;
      clearTimeout(timer);
      until.removeEventListener("abort", wake);
      waiting.delete(entry);
      if (waiting.size > 0) return;
      clearInterval(poll);
      poll = undefined;
    },
  };
}
