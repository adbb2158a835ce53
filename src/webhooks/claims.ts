// Claims the deliveries of webhooks and starts their attempts: first for the webhook that has waited longest.

import { setTimeout as pause } from "node:timers/promises";
import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { EVENTS_PER_PORTION } from "../domain/webhooks/webhook-limits.ts";
import { type AttemptOptions, createAttempts } from "./attempts.ts";
import { createPortions, isBehind } from "./portions.ts";
import {
  createSendingSlots,
  dropOthers,
  PER_ENDPOINT_MAX,
  type SendingSlots,
  type SlotOptions,
} from "./sending-slots.ts";

/** A webhook that waits for its turn. */
interface WaitingWebhook extends DispatchTarget {
  /** How many events become deliveries, also without a free slot. With 0, it waits for a slot. */
  events: number;
}

export interface ClaimOptions extends AttemptOptions, SlotOptions {}

export type Claims = ReturnType<typeof createClaims>;

export function createClaims(options: ClaimOptions) {
  const { store, clock, observer, ending, onError } = options;
  const slots = createSendingSlots(options);
  const attempts = createAttempts(options);
  const portions = createPortions();
  const queue = createClaimQueue(slots, ending, (webhook, contenders) => {
    const work = () => take(webhook, contenders);
    return (webhook.events > 0 && isBehind(webhook) ? portions.run(work) : work()).catch(onError);
  });
  let hasMore = false;

  async function take(webhook: WaitingWebhook, contenders: number): Promise<void> {
    const { id, events } = webhook;
    const reserved = slots.reserve(webhook, contenders);
    try {
      const limits = { node: reserved.count, endpoint: PER_ENDPOINT_MAX, events };
      const taken = await store.take(id, limits, clock.nowMs());
      if (taken.disabledReason !== undefined) observer.disabled(id, taken.disabledReason);
      else if (taken.claimed.length === reserved.count) queue.addForSlot(webhook);
      for (const claimed of taken.claimed) {
        const end = reserved.start();
        attempts.start(claimed, (isDelivered) => {
          end(isDelivered);
          if (isDelivered) queue.addForSlot({ ...webhook, failures: undefined });
          void queue.serve();
        });
      }
      if (events > 0 && taken.hasMore) hasMore = true;
    } finally {
      reserved.release();
    }
  }

  return {
    /** Resolves to the wait until more events can be taken; undefined if there are none. */
    async takeAll(targets: DispatchTarget[]): Promise<number | undefined> {
      const behind = targets.filter(isBehind);
      const chosen = portions.choose(behind);
      hasMore = behind.some((target) => target !== chosen);
      for (const target of targets) {
        const isServed = target === chosen || !isBehind(target);
        queue.add({ ...target, events: isServed ? EVENTS_PER_PORTION : 0 });
      }
      await queue.serve();
      return hasMore ? portions.waitMs() : undefined;
    },
    /** Forgets all other webhooks. */
    keep(targets: DispatchTarget[]): void {
      slots.keep(targets);
      queue.keep(targets);
    },
    /** Resolves when no attempt is running or planned. */
    async idle(): Promise<void> {
      do {
        await Promise.allSettled([...attempts.running]);
        await queue.idle();
      } while (attempts.running.size > 0);
    },
  };
}

/** Webhooks served at a time. One whose row is locked must not delay all others until the database gives up. */
const SERVED_AT_A_TIME = 4;

/** Calls `serveOne` for waiting webhooks, with the number of webhooks that compete for free slots. */
function createClaimQueue(
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
    const running = new Set<Promise<void>>();
    while (!ending.aborted) {
      const ready = listReady().filter(({ id }) => left.has(id));
      const webhook = slots.next(ready);
      if (webhook === undefined) break;
      left.delete(webhook.id);
      waiting.delete(webhook.id);
      const served = serveOne(webhook, ready.length).finally(() => running.delete(served));
      running.add(served);
      if (running.size >= SERVED_AT_A_TIME) await Promise.race(running);
    }
    await Promise.all(running);
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
