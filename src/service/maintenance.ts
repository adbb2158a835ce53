// Periodic jobs: tidy the search, expire orders whose hold has ended, delete old data.

import type { PhotoStore } from "../domain/animals/photo.ts";
import type { TextStore } from "../domain/animals/search-text.ts";
import type { Clock } from "../domain/basics/clock.ts";
import type { EventStore } from "../domain/events/event.ts";
import type { IdempotencyStore } from "../domain/idempotency.ts";
import type { OrderStore } from "../domain/orders/order.ts";
import type { InvitationStore } from "../domain/people/invitation.ts";
import type { UsageStore } from "../domain/usage/usage-store.ts";
import type { DispatchStore } from "../domain/webhooks/dispatch.ts";
import { type Repeated, repeat } from "../tools/repeat.ts";

/** A reservation must end within 60 s of its time. */
const EVERY_MS = 15_000;

export function startMaintenance(options: {
  orders: OrderStore;
  idempotency: IdempotencyStore;
  events: EventStore;
  /** 0 keeps all. */
  eventsKeptMs: number;
  dispatch: Pick<DispatchStore, "forget">;
  photos: Pick<PhotoStore, "forget">;
  invitations: Pick<InvitationStore, "forget">;
  texts: TextStore;
  usageCounts: Pick<UsageStore, "forget">;
  clock: Clock;
  onError: (error: unknown) => void;
}): Repeated {
  const { orders, idempotency, events, eventsKeptMs, dispatch, photos, invitations, texts, usageCounts } =
    options;
  const { clock, onError } = options;
  let isStopping = false;

  /** Each step is a small transaction of its own, so that requests are served in between. */
  async function finish(step: (nowMs: number) => Promise<number>): Promise<void> {
    while (!isStopping && (await step(clock.nowMs())) > 0);
  }

  async function work(): Promise<void> {
    // All jobs run even if one fails.
    const outcomes = await Promise.allSettled([
      finish(orders.expire),
      finish(idempotency.forget),
      finish(dispatch.forget),
      finish(photos.forget),
      finish(invitations.forget),
      finish(usageCounts.forget),
      finish(texts.maintain),
      ...(eventsKeptMs > 0 ? [finish((nowMs) => events.forget(nowMs - eventsKeptMs))] : []),
    ]);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  const job = repeat(EVERY_MS, work, onError);
  return {
    run: job.run,
    async stop() {
      isStopping = true;
      await job.stop();
    },
  };
}
