// The webhooks that wait to claim deliveries, served in turn, a few at a time.

import { setTimeout as pause } from "node:timers/promises";
import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { dropOthers, type SendingSlots } from "./sending-slots.ts";

/** Webhooks served at a time. One whose row is locked must not delay all others until the database gives up. */
const SERVED_AT_A_TIME = 4;

export interface WaitingWebhook extends DispatchTarget {
  /** How many events become deliveries, also without a free slot. With 0, it waits for a slot. */
  events: number;
}

export type ClaimQueue = ReturnType<typeof createClaimQueue>;

/** Calls `serveOne` for waiting webhooks, with the number of webhooks that compete for free slots. */
export function createClaimQueue(
  slots: SendingSlots,
  ending: AbortSignal,
  serveOne: (webhook: WaitingWebhook, contenders: number) => Promise<void>,
) {
  const waiting = new Map<bigint, WaitingWebhook>();
  let serving: Promise<void> = Promise.resolve();
  let later: Promise<void> | undefined;
  const listReady = () => [...waiting.values()].filter((each) => each.events > 0 || slots.findRoom(each) > 0);

  function serve(): Promise<void> {
    serving = serving.catch(() => {}).then(servePass);
    return serving;
  }

  /** Each webhook once: a round must not wait for one that always has more. */
  async function servePass(): Promise<void> {
    const left = new Set(waiting.keys());
    await runEach(() => {
      const ready = listReady().filter(({ id }) => left.has(id));
      const webhook = slots.next(ready);
      if (webhook === undefined || ending.aborted) return undefined;
      left.delete(webhook.id);
      waiting.delete(webhook.id);
      return serveOne(webhook, ready.length);
    });
    const waitMs = listReady().length > 0 ? 0 : slots.findWaitMs(waiting.values());
    if (waitMs !== undefined && !ending.aborted) later ??= serveAfter(waitMs);
  }

  async function serveAfter(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: ending }).catch(() => {});
    later = undefined;
    await serve();
  }

  return {
    serve,
    add: (webhook: WaitingWebhook) => void waiting.set(webhook.id, webhook),
    /** Keeps the events that a round has asked for since. */
    addForSlot(target: DispatchTarget): void {
      waiting.set(target.id, { ...target, events: waiting.get(target.id)?.events ?? 0 });
    },
    keep: (targets: DispatchTarget[]) => dropOthers(waiting, targets, "id"),
    async idle(): Promise<void> {
      for (let seen: unknown; seen !== serving || later !== undefined; ) {
        seen = serving;
        await Promise.all([serving, later]);
      }
    },
  };
}

/** Starts jobs until `startNext` returns none, SERVED_AT_A_TIME at a time. */
async function runEach(startNext: () => Promise<void> | undefined): Promise<void> {
  const running = new Set<Promise<void>>();
  for (let job = startNext(); job !== undefined; job = startNext()) {
    const ended: Promise<void> = job.finally(() => running.delete(ended));
    running.add(ended);
    if (running.size >= SERVED_AT_A_TIME) await Promise.race(running);
  }
  await Promise.all(running);
}
