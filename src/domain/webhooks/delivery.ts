// A delivery: one event for one webhook, and how its attempts went.

import type { EventType } from "../events/event.ts";
import { hideNameCause } from "./delivery-failures.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery {
  id: bigint;
  webhookId: bigint;
  eventId: string;
  number: bigint;
  type: EventType;
  status: DeliveryStatus;
  attempts: number;
  /** Present while it is pending. */
  nextAttemptAtMs?: number | undefined;
  lastStatus?: number | undefined;
  lastError?: string | undefined;
  lastAttemptAtMs?: number | undefined;
  /** While a node attempts it. */
  claimedUntilMs?: number | undefined;
}

export function describeDelivery(delivery: Delivery, { showsCause }: { showsCause: boolean }) {
  const { id, eventId, number, type, status, attempts, lastStatus, lastError } = delivery;
  return {
    id,
    eventId,
    number,
    type,
    status,
    attempts,
    ...(delivery.nextAttemptAtMs !== undefined && { nextAttemptAt: new Date(delivery.nextAttemptAtMs) }),
    ...(lastStatus !== undefined && { lastStatus }),
    ...(lastError !== undefined && { lastError: showsCause ? lastError : hideNameCause(lastError) }),
    ...(delivery.lastAttemptAtMs !== undefined && { lastAttemptAt: new Date(delivery.lastAttemptAtMs) }),
  };
}
