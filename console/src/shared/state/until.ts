// Waits for a condition of signals.

import { effect, untracked } from "@preact/signals";

/** Resolves when the condition is true or the signal is aborted. */
export function until(isTrue: () => boolean, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ended.aborted || untracked(isTrue)) return resolve();
    const finish = () => {
      stop();
      ended.removeEventListener("abort", finish);
      resolve();
    };
    const stop = effect(() => {
      if (isTrue()) finish();
    });
    ended.addEventListener("abort", finish, { once: true });
  });
}
