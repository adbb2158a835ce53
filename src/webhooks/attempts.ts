// Attempts of claimed deliveries: sends the event, stores the result, and reports what it means for the webhook.

import type { Clock } from "../domain/basics/clock.ts";
import { eventJson } from "../domain/events/event.ts";
import type { ClaimedDelivery, DispatchStore, RecordedAttempt } from "../domain/webhooks/dispatch.ts";
import type { DisabledReason } from "../domain/webhooks/webhook.ts";
import type { Webhooks } from "./gateway.ts";
import { findDisabledReason, isDelivered, isWarningDue, nextWaitMs } from "./schedule.ts";
import type { AttemptResult } from "./sender.ts";

export interface AttemptObserver {
  attempted(result: "delivered" | "failed"): void;
  /** All attempts of a webhook have failed for a day. Called once. */
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
}

export interface Attempts {
  /** Resolves to whether the event was delivered. */
  deliver(claimed: ClaimedDelivery): Promise<boolean>;
}

export function createAttempts(options: AttemptOptions): Attempts {
  const { store, webhooks, clock, observer, random, ending, cutting } = options;

  async function deliver(claimed: ClaimedDelivery): Promise<boolean> {
    if (ending.aborted) {
      await store.release(claimed);
      return false;
    }
    const { webhook, delivery, event } = claimed;
    const secrets = await webhooks.findSecrets(webhook);
    // As it was when the delivery was created: every attempt must have the same identifier.
    const epoch = delivery.eventId.split("_")[1] as string;
    const body = eventJson(event, { epoch, publicUrl: options.publicUrl() });
    const message = { url: webhook.url, eventId: delivery.eventId, body, secrets };
    const result = await webhooks.send(message, cutting);
    if (cutting.aborted && result.status === undefined) {
      await store.release(claimed);
      return false;
    }
    return record(claimed, result);
  }

  async function record(claimed: ClaimedDelivery, result: AttemptResult): Promise<boolean> {
    const { status, error, retryAfterMs } = result;
    const { attempts } = claimed.delivery;
    const atMs = clock.nowMs();
    const hasSucceeded = isDelivered(status);
    const waitMs = hasSucceeded
      ? undefined
      : nextWaitMs({ attempts: attempts + 1, retryAfterMs, ...(random && { random }) });
    const recorded = await store.record(
      claimed,
      {
        status,
        error,
        atMs,
        isDelivered: hasSucceeded,
        nextAttemptAtMs: waitMs === undefined ? undefined : atMs + waitMs,
      },
      (failures) => findDisabledReason(status, failures, atMs),
    );
    observer.attempted(hasSucceeded ? "delivered" : "failed");
    if (recorded !== undefined) tell(claimed.webhook.id, recorded, atMs);
    return hasSucceeded;
  }

  function tell(
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

  return { deliver };
}
