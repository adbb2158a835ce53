// Attempts of claimed deliveries: sends the event, stores the result, and reports its consequences for the webhook.

import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../domain/basics/clock.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { eventJson } from "../domain/events/event.ts";
import {
  findDisabledReason,
  isDelivered,
  isWarningDue,
  nextWaitMs,
} from "../domain/webhooks/attempt-schedule.ts";
import type { ClaimedDelivery, DispatchStore, RecordedAttempt } from "../domain/webhooks/dispatch.ts";
import type { DisabledReason } from "../domain/webhooks/webhook.ts";
import type { Webhooks } from "./gateway.ts";
import type { AttemptResult } from "./sender.ts";

/** Between two attempts to store a result while the database is away. */
const STORE_AGAIN_MS = 500;

export interface AttemptObserver {
  attempted(result: "delivered" | "failed"): void;
  /** Called once, when all attempts of a webhook have failed for a day. */
  warned(webhookId: bigint, failingSinceMs: number): void;
  disabled(webhookId: bigint, reason: DisabledReason): void;
}

export interface AttemptOptions {
  store: DispatchStore;
  webhooks: Pick<Webhooks, "send" | "findSecrets">;
  clock: Clock;
  /** The address of the service, for the photos of listings. */
  publicUrl: () => string;
  observer: AttemptObserver;
  random?: () => number;
  /** Starts no attempt after this. */
  ending: AbortSignal;
  /** Cuts running attempts, which then do not count. */
  cutting: AbortSignal;
  onError: (error: unknown) => void;
}

export function createAttempts(options: AttemptOptions) {
  const running = new Set<Promise<void>>();
  return {
    running,
    start(claimed: ClaimedDelivery, onEnd: (isDelivered: boolean) => void): void {
      let isDelivered = false;
      const attempt = deliver(options, claimed)
        .then((result) => {
          isDelivered = result;
        }, options.onError)
        // Also if the report throws: an attempt that never ends would keep its slot, and a stop would wait for ever.
        .finally(() => {
          running.delete(attempt);
          onEnd(isDelivered);
        });
      running.add(attempt);
    },
  };
}

/** Resolves to whether the event was delivered. */
async function deliver(options: AttemptOptions, claimed: ClaimedDelivery): Promise<boolean> {
  const { store, webhooks, ending, cutting } = options;
  const { webhook, delivery, event } = claimed;
  if (!ending.aborted) {
    const secrets = await webhooks.findSecrets(webhook);
    // As it was when the delivery was created: every attempt must have the same identifier.
    const epoch = delivery.eventId.split("_")[1] as string;
    const body = eventJson(event, { epoch, publicUrl: options.publicUrl() });
    const message = { url: webhook.url, eventId: delivery.eventId, body, secrets };
    const result = await webhooks.send(message, cutting);
    if (!cutting.aborted || result.status !== undefined) return record(options, claimed, result);
  }
  await store.release(claimed);
  return false;
}

async function record(
  options: AttemptOptions,
  claimed: ClaimedDelivery,
  { status, error, retryAfterMs }: AttemptResult,
): Promise<boolean> {
  const { store, clock, observer, random } = options;
  const attempts = claimed.delivery.attempts + 1;
  const atMs = clock.nowMs();
  const hasSucceeded = isDelivered(status);
  const waitMs = hasSucceeded ? undefined : nextWaitMs({ attempts, retryAfterMs, ...(random && { random }) });
  const nextAttemptAtMs = waitMs === undefined ? undefined : atMs + waitMs;
  const recorded = await storeWhileClaimed(options, claimed, () =>
    store.record(claimed, { status, error, atMs, isDelivered: hasSucceeded, nextAttemptAtMs }, (failures) =>
      findDisabledReason(status, failures, atMs),
    ),
  );
  observer.attempted(hasSucceeded ? "delivered" : "failed");
  if (recorded !== undefined) reportState(observer, claimed.webhook.id, recorded, atMs);
  return hasSucceeded;
}

/**
 * The event has been sent. While the database is away, its result is stored later, so that a failover does not block the
 * webhook until the claim ends, and the event is not sent again. A result that was stored unnoticed has ended the claim.
 */
async function storeWhileClaimed<T>(
  { clock, ending, onError }: AttemptOptions,
  { claimedUntilMs }: ClaimedDelivery,
  store: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === "unavailable";
      if (!isAway || ending.aborted || clock.nowMs() + STORE_AGAIN_MS >= claimedUntilMs) throw error;
      onError(error);
      await pause(STORE_AGAIN_MS, undefined, { signal: ending }).catch(() => {});
    }
  }
}

function reportState(
  observer: AttemptObserver,
  id: bigint,
  { failuresBefore, failures, disabledReason }: RecordedAttempt,
  atMs: number,
): void {
  if (disabledReason !== undefined) observer.disabled(id, disabledReason);
  if (failures === undefined || !isWarningDue(failures.failingSinceMs, atMs)) return;
  const { failingSinceMs } = failures;
  const wasDue = failuresBefore !== undefined && isWarningDue(failingSinceMs, failuresBefore.lastFailureMs);
  if (!wasDue) observer.warned(id, failingSinceMs);
}
