// Work on many things: a few at a time, with progress, until it is stopped. A failure does not stop the others.

import { signal } from "@preact/signals";

/** The client shares the wait for a limit among its calls. */
const AT_ONCE = 4;

interface Progress {
  done: number;
  /** Undefined if it is not known. */
  all: number | undefined;
  stop: () => void;
}

export interface Outcome<T, R> {
  done: Array<{ item: T; result: R }>;
  failed: Array<{ item: T; error: unknown }>;
  /** Not tried, because the work was stopped. */
  left: T[];
}

/** The work that was started last; undefined while none runs. */
export const progress = signal<Progress | undefined>(undefined);

/** While the page is closed, everything must be sent at once. */
let isLeaving = false;
addEventListener("pagehide", () => (isLeaving = true), { capture: true });
addEventListener("pageshow", () => (isLeaving = false));

export async function runAll<T, R>(
  items: T[],
  work: (item: T, signal: AbortSignal) => Promise<R>,
  ended?: AbortSignal,
): Promise<Outcome<T, R>> {
  const outcome: Outcome<T, R> = { done: [], failed: [], left: [] };
  const next = items.values();
  let finished = 0;

  await withProgress(
    items.length,
    async (signal, show) => {
      async function runNext(): Promise<void> {
        for (const item of next) {
          if (signal.aborted) {
            outcome.left.push(item);
            continue;
          }
          try {
            outcome.done.push({ item, result: await work(item, signal) });
          } catch (error) {
            if (signal.aborted) outcome.left.push(item);
            else outcome.failed.push({ item, error });
          }
          finished += 1;
          show(finished);
        }
      }
      await Promise.all(Array.from({ length: isLeaving ? items.length : AT_ONCE }, runNext));
    },
    ended,
  );
  return outcome;
}

/** Shows the progress of one piece of work. The signal is aborted when the user stops it, or with `ended`. */
export async function withProgress<R>(
  all: number | undefined,
  work: (signal: AbortSignal, show: (done: number) => void) => Promise<R>,
  ended?: AbortSignal,
): Promise<R> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  ended?.addEventListener("abort", stop);
  const show = (done: number) => (progress.value = { done, all, stop });
  show(0);
  try {
    return await work(stopping.signal, show);
  } finally {
    ended?.removeEventListener("abort", stop);
    if (progress.value?.stop === stop) progress.value = undefined;
  }
}
