// Waits that the service has asked for: shown as a countdown, and cut short on demand.

import { signal } from "@preact/signals";

/** Shorter pauses, between attempts to reach the service, are not worth a word. */
const SHOWN_FROM_MS = 1_000;

/** Thrown into a call whose wait the user has ended. */
class WaitStopped extends Error {
  constructor() {
    super("Stopped waiting. Nothing was changed.");
  }
}

/** When the last of the waits ends; undefined while nothing waits. */
export const waitEndMs = signal<number | undefined>(undefined);

const waits = new Map<() => void, number>();

/** The client's own way to wait between two attempts. */
export function sleep(ms: number, aborted: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      waits.delete(stop);
      showLast();
      settle();
    };
    const stop = () => finish(() => reject(new WaitStopped()));
    const timer = setTimeout(() => finish(resolve), ms);
    aborted?.addEventListener("abort", () => finish(() => reject(aborted.reason)), { once: true });
    if (ms >= SHOWN_FROM_MS) waits.set(stop, Date.now() + ms);
    showLast();
  });
}

export function stopWaiting(): void {
  for (const stop of [...waits.keys()]) stop();
}

function showLast(): void {
  waitEndMs.value = waits.size === 0 ? undefined : Math.max(...waits.values());
}
