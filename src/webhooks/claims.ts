// Claims the deliveries of webhooks and starts their attempts: first for the webhook that has waited longest.

import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { EVENTS_PER_PORTION } from "../domain/webhooks/webhook-limits.ts";
import { type AttemptOptions, createAttempts } from "./attempts.ts";
import { type ClaimQueue, createClaimQueue, type WaitingWebhook } from "./claim-queue.ts";
import { createPortions, isBehind } from "./portions.ts";
import {
  createSendingSlots,
  PER_ENDPOINT_MAX,
  type SendingSlots,
  type SlotOptions,
} from "./sending-slots.ts";

export interface ClaimOptions extends AttemptOptions, SlotOptions {}

export type Claims = ReturnType<typeof createClaims>;

export function createClaims(options: ClaimOptions) {
  const slots = createSendingSlots(options);
  const attempts = createAttempts(options);
  const portions = createPortions();
  let hasMore = false;
  const queue = createClaimQueue(slots, options.ending, async (webhook, contenders) => {
    const work = () => claim(options, { slots, attempts, queue }, webhook, contenders);
    const isPortion = webhook.events > 0 && isBehind(webhook);
    const hasMoreEvents = await (isPortion ? portions.run(work) : work()).catch(options.onError);
    if (webhook.events > 0 && hasMoreEvents) hasMore = true;
  });

  return {
    /** Resolves to the wait until more events can be taken; undefined if there are none. */
    async takeAll(targets: DispatchTarget[]): Promise<number | undefined> {
      const chosen = portions.choose(targets.filter(isBehind));
      const isServed = (target: DispatchTarget) => target === chosen || !isBehind(target);
      hasMore = !targets.every(isServed);
      for (const target of targets)
        queue.add({ ...target, events: isServed(target) ? EVENTS_PER_PORTION : 0 });
      await queue.serve();
      return hasMore ? portions.waitMs() : undefined;
    },
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

interface ClaimParts {
  slots: SendingSlots;
  attempts: ReturnType<typeof createAttempts>;
  queue: ClaimQueue;
}

/** Resolves to whether the webhook has more events than it may take now. */
async function claim(
  { store, clock, observer }: ClaimOptions,
  { slots, attempts, queue }: ClaimParts,
  webhook: WaitingWebhook,
  contenders: number,
): Promise<boolean> {
  const { id, events } = webhook;
  const reserved = slots.reserve(webhook, contenders);
  try {
    const limits = { node: reserved.count, endpoint: PER_ENDPOINT_MAX, events };
    const { claimed, disabledReason, hasMore } = await store.take(id, limits, clock.nowMs());
    if (disabledReason !== undefined) observer.disabled(id, disabledReason);
    else if (claimed.length === reserved.count) queue.addForSlot(webhook);
    for (const each of claimed) {
      const end = reserved.start();
      attempts.start(each, (isDelivered) => {
        end(isDelivered);
        if (isDelivered) queue.addForSlot({ ...webhook, failures: undefined });
        void queue.serve();
      });
    }
    return hasMore;
  } finally {
    reserved.release();
  }
}
