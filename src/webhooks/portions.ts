// Paces webhooks that are far behind, after a replay for example: one portion of events at a time, then a pause.

import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { EVENTS_PER_PORTION } from "../domain/webhooks/webhook-limits.ts";

/** After a portion, its duration times this belongs to others. */
const PAUSE_FACTOR = 4;

export function isBehind({ behind }: DispatchTarget): boolean {
  return behind > EVENTS_PER_PORTION;
}

export function createPortions(nowMs = () => performance.now()) {
  let lastId = 0n;
  let pauseEndMs = 0;
  const waitMs = () => Math.max(0, pauseEndMs - nowMs());

  return {
    waitMs,
    /** The webhook whose turn it is, by id; none during a pause. */
    choose(behind: DispatchTarget[]): DispatchTarget | undefined {
      if (waitMs() > 0) return undefined;
      const chosen = behind.find(({ id }) => id > lastId) ?? behind[0];
      lastId = chosen?.id ?? 0n;
      return chosen;
    },
    async run<T>(work: () => Promise<T>): Promise<T> {
      const startedMs = nowMs();
      try {
        return await work();
      } finally {
        const endedMs = nowMs();
        pauseEndMs = endedMs + PAUSE_FACTOR * (endedMs - startedMs);
      }
    },
  };
}
