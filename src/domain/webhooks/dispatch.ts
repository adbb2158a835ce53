// The work of a dispatcher: deliveries that it takes from its store, attempts and records.

import type { StoredEvent } from "../events/event.ts";
import type { Delivery } from "./delivery.ts";
import type { DisabledReason, StoredWebhook } from "./webhook.ts";

/** An enabled webhook, as a dispatcher sees it before it asks for work. */
export interface DispatchTarget {
  id: bigint;
  /** Its owner. */
  keyId: bigint;
  keyFingerprint: string;
  /** Undefined if its last attempt has succeeded. */
  failures: Failures | undefined;
  /** Whether there are events or deliveries to handle now. */
  hasWork: boolean;
  /** How many changes of the history come after its position. */
  behind: number;
}

export interface TakeLimits {
  /** Deliveries that this node may attempt. */
  node: number;
  /** Deliveries that all nodes together may attempt. */
  endpoint: number;
  /** Events that become deliveries. */
  events: number;
}

/** A delivery that this node may attempt until its claim ends. */
export interface ClaimedDelivery {
  webhook: StoredWebhook;
  delivery: Delivery;
  claimedUntilMs: number;
  event: StoredEvent;
}

export interface TakenWork {
  claimed: ClaimedDelivery[];
  /** Whether there are more events to turn into deliveries. */
  hasMore: boolean;
  /** Why the webhook was disabled instead. */
  disabledReason?: DisabledReason;
}

export interface Attempt {
  status?: number | undefined;
  error?: string | undefined;
  atMs: number;
  /** When to try again; undefined if this was the last attempt, or it succeeded. */
  nextAttemptAtMs?: number | undefined;
  isDelivered: boolean;
}

/** All attempts since then have failed. */
export interface Failures {
  failingSinceMs: number;
  lastFailureMs: number;
}

export interface RecordedAttempt {
  /** Before this attempt; undefined if the attempt before has succeeded. */
  failuresBefore: Failures | undefined;
  /** Undefined after a success. */
  failures: Failures | undefined;
  /** Why this attempt has disabled the webhook. */
  disabledReason: DisabledReason | undefined;
}

export interface DispatchStore {
  /** All enabled webhooks, and the newest number of the history. */
  look(nowMs: number): Promise<{ targets: DispatchTarget[]; newest: bigint }>;
  /**
   * Turns the next events of a webhook into deliveries, moves its position after them, and claims due deliveries, all in
   * one transaction and within the limits. Disables a webhook whose key has ended.
   */
  take(id: bigint, limits: TakeLimits, nowMs: number): Promise<TakenWork>;
  /** Undefined if the claim has ended before: another node decides about the delivery then. */
  record(
    claimed: ClaimedDelivery,
    attempt: Attempt,
    /** Why the webhook must be disabled after these failures, if it must. */
    findReason: (failures: Failures) => DisabledReason | undefined,
  ): Promise<RecordedAttempt | undefined>;
  /** Resolves to whether it was enabled and had these failures until now. */
  disable(id: bigint, reason: DisabledReason, failures: Failures, nowMs: number): Promise<boolean>;
  /** Gives up a claim without an attempt. */
  release(claimed: ClaimedDelivery): Promise<void>;
  /** Ends the claims of a process that was killed. Called at the start of an engine with one node. */
  releaseAll(): Promise<void>;
  /** Deletes a limited number of old deliveries. Resolves to the number deleted. */
  forget(nowMs: number): Promise<number>;
  /** Counts enabled webhooks only. */
  measure(): Promise<DeliveryFigures>;
}

export interface DeliveryFigures {
  pending: number;
  /** When the oldest pending delivery was created. */
  oldestPendingMs: number | undefined;
  /** Since when each failing webhook fails. */
  failingSinceMs: number[];
}
