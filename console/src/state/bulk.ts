// Work on many things: a few at a time, with progress, until it is stopped. A failure does not stop the others.

import { signal } from "@preact/signals";

/** The client shares the wait for a limit among its calls. */
const AT_ONCE = 4;

interface Progress {
  done: number;
  all: number;
  stop: () => void;
}

export interface Outcome<T, R> {
  done: Array<{ item: T; result: R }>;
  failed: Array<{ item: T; error: unknown }>;
  /** Not tried, because the work was stopped. */
  left: T[];
}

/** Of the work that was started last; undefined while none runs. */
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
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  ended?.addEventListener("abort", stop);
  const outcome: Outcome<T, R> = { done: [], failed: [], left: [] };
  const next = items.values();
  let finished = 0;
  const show = () => (progress.value = { done: finished, all: items.length, stop });

  async function runNext(): Promise<void> {
    for (const item of next) {
      if (stopping.signal.aborted) {
        outcome.left.push(item);
        continue;
      }
      try {
        outcome.done.push({ item, result: await work(item, stopping.signal) });
      } catch (error) {
        if (stopping.signal.aborted) outcome.left.push(item);
        else outcome.failed.push({ item, error });
      }
      finished += 1;
      show();
    }
  }

  show();
  await Promise.all(Array.from({ length: isLeaving ? items.length : AT_ONCE }, runNext));
  ended?.removeEventListener("abort", stop);
  if (progress.value?.stop === stop) progress.value = undefined;
  return outcome;
}
