// Webhooks: addresses that get every event, and the interface of their store.

import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import { EVENT_PATTERNS, EVENT_TYPES, type EventType, parseEventTypes } from "../events/event.ts";
import type { EventCursor } from "../events/event-cursor.ts";
import type { AuditOrigin } from "../keys/audit.ts";
import type { Delivery, DeliveryStatus } from "./delivery.ts";

/** The type of the event that `testWebhook` sends. */
export const TEST_TYPE = "webhook.test";

export const WEBHOOK_STATUSES = ["enabled", "disabled"] as const;
export const DISABLED_REASONS = ["requested", "gone", "failing", "key_ended"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The words of a webhook's filter: types, and patterns such as `pet.*`. */
export const EVENT_WORDS = [...EVENT_TYPES, ...EVENT_PATTERNS];

export interface StoredWebhook {
  id: bigint;
  /** The key that created it, which decides what it gets; 0 for ADMIN_API_KEY and for commands. */
  keyId: bigint;
  url: string;
  /** Some of EVENT_WORDS; undefined for all types. */
  types?: string[] | undefined;
  description?: string | undefined;
  /** Undefined while it is enabled. */
  disabledReason?: DisabledReason | undefined;
  createdAtMs: number;
  /** Counts its secrets, from 1. */
  version: number;
  /** Identifies the master key its secrets are derived from. */
  keyFingerprint: string;
  rotatedAtMs?: number | undefined;
  lastSuccessAtMs?: number | undefined;
  /** The first failure since the last success. */
  failingSinceMs?: number | undefined;
  lastFailureAtMs?: number | undefined;
  /** Its position in the history: events up to this number have a delivery, or are not for it. */
  number: bigint;
}

export interface Webhook extends StoredWebhook {
  /** Undelivered events; of those without a delivery, only the next 10,000 changes are counted. */
  pending: number;
}

interface WebhookSettings {
  url: string;
  types?: string[] | undefined;
  description?: string | undefined;
}

export interface NewWebhook extends WebhookSettings {
  keyId: bigint;
  keyFingerprint: string;
  /** The events after this position are delivered. */
  after: EventCursor | "now";
}

/** An absent member stays unchanged; `null` removes it. */
export interface WebhookChanges {
  url?: string | undefined;
  types?: string[] | null | undefined;
  description?: string | null | undefined;
  status?: (typeof WEBHOOK_STATUSES)[number] | undefined;
  /** Drops everything that is undelivered. */
  after?: "now" | undefined;
}

/** Every change of a webhook is recorded in the audit log, in the same transaction. */
export interface WebhookStore {
  /** In ascending order of id; with `keyId`, only webhooks of this key. */
  list(page: Page, keyId?: bigint): Promise<Webhook[]>;
  find(id: bigint): Promise<Webhook | undefined>;
  /** How many webhooks the key has. */
  count(keyId: bigint): Promise<number>;
  /** Throws `too_many_webhooks`, and `feed_reset` for a cursor that is not in the history. */
  create(webhook: NewWebhook, origin: AuditOrigin): Promise<Webhook>;
  /** Throws `invalid_transition` if it would enable a webhook whose key has ended. */
  update(id: bigint, changes: WebhookChanges, origin: AuditOrigin): Promise<Webhook | undefined>;
  rotate(id: bigint, keyFingerprint: string, origin: AuditOrigin): Promise<Webhook | undefined>;
  /** Resolves to whether there was one. Its deliveries are deleted later. */
  delete(id: bigint, origin: AuditOrigin): Promise<boolean>;
  /** Newest first; `page.after` is the id before which the page begins. */
  listDeliveries(id: bigint, page: Page, status?: DeliveryStatus): Promise<Delivery[]>;
  /**
   * Makes one delivery, or all events after a cursor, pending again. Throws `delivery_not_found`, `feed_reset`, and
   * `invalid_transition` while an earlier replay after a cursor is running.
   */
  replay(id: bigint, what: Replay, nowMs: number): Promise<Webhook | undefined>;
}

export type Replay = { deliveryId: bigint } | { after: EventCursor };

/** The result of one attempt, as `testWebhook` shows it. */
export interface TestResult {
  status?: number;
  durationMs: number;
  error?: string;
  /** The first 1 kB of the response. */
  body: string;
}

/** The secrets of the master key that is in use. */
export interface WebhookSecrets {
  keyFingerprint: string;
  /** The current secret of a webhook. */
  secretOf(webhook: Pick<Webhook, "id" | "version">): string;
}

/** Secrets, allowed addresses and requests: everything that webhooks need besides their stores. */
export interface WebhookGateway {
  /** Throws `unavailable` if there is no master key; the message says what to set. */
  requireKey(): void;
  /** Throws like `requireKey`. */
  openSecrets(): Promise<WebhookSecrets>;
  /** Throws `url_not_allowed`. Only with `showsCause`, the message says whether a host name resolves. */
  checkUrl(url: string, options: { showsCause: boolean }): Promise<void>;
  /** Throws `unavailable` if the webhook has secrets of another master key, or if the caller has too many tests at a time. */
  sendTest(webhook: Webhook, callerId: bigint): Promise<TestResult>;
}

/** The types that a webhook gets. */
export function typesOf({ types }: Pick<Webhook, "types">): readonly EventType[] {
  return types === undefined ? EVENT_TYPES : parseEventTypes(types.join(","));
}

/** Sorted like EVENT_WORDS, without repetitions. Throws `invalid_body` for an empty list. */
export function checkTypes<T extends string[] | null | undefined>(types: T): T {
  if (types === null || types === undefined) return types;
  if (types.length > 0) return EVENT_WORDS.filter((word) => types.includes(word)) as T;
  throw new ServiceError("invalid_body", { message: "types must not be empty: leave it out for all types" });
}

/** The webhook as the API and the commands show it, without undefined members. */
export function describeWebhook(webhook: Webhook) {
  const { id, url, types, description, disabledReason, pending } = webhook;
  return {
    id,
    url,
    ...(types && { types }),
    ...(description !== undefined && { description }),
    status: statusOf(webhook),
    ...(disabledReason && { disabledReason }),
    createdAt: new Date(webhook.createdAtMs),
    ...(webhook.lastSuccessAtMs !== undefined && { lastSuccessAt: new Date(webhook.lastSuccessAtMs) }),
    ...(webhook.failingSinceMs !== undefined && { failingSince: new Date(webhook.failingSinceMs) }),
    pending,
  };
}

export function statusOf({
  disabledReason,
}: Pick<Webhook, "disabledReason">): (typeof WEBHOOK_STATUSES)[number] {
  return disabledReason === undefined ? "enabled" : "disabled";
}
