// Webhooks and deliveries as rows: read, locked, disabled and recorded in the audit log.

import { SERVICE_ACTOR } from "../../../domain/keys/audit.ts";
import type { Access } from "../../../domain/keys/plan.ts";
import type { Delivery } from "../../../domain/webhooks/delivery.ts";
import type { DisabledReason, StoredWebhook } from "../../../domain/webhooks/webhook.ts";
import { auditWebhookUpdate } from "../../../domain/webhooks/webhook-audit.ts";
import type { Queries, Row, Transaction } from "../../database.ts";
import { TABLES, toObject, toOptional, toOptionalNumber } from "../../tables.ts";
import { recordAudit } from "../keys/audit.ts";
import { isActiveAt } from "../keys/key-rows.ts";

export const WEBHOOK_COLUMNS = TABLES.webhooks;
const DELIVERY_COLUMNS =
  "id, webhook_id, event_id, number, type, status, attempts, next_attempt_at_ms, last_status, last_error, last_attempt_at_ms, claimed_until_ms";

/** Key 0 exists in the settings only. */
const OWNER = `SELECT access, shelter_id FROM api_keys WHERE id = $1 AND ${isActiveAt("$2")}`;

/** The findings of `doctor`. */
export interface WebhookInspection {
  /** All, also disabled ones. */
  count: number;
  /** One for the master key of each webhook. */
  keyFingerprints: string[];
  /** Since when each enabled one that fails has failed. */
  failingSinceMs: number[];
  /** Disabled because of their receiver: `gone` or `failing`. */
  givenUp: number;
}

export async function inspectWebhooks(queries: Queries): Promise<WebhookInspection> {
  const rows = await queries.all("SELECT key_fingerprint, disabled_reason, failing_since_ms FROM webhooks");
  const reasonOf = ({ disabled_reason }: Row) => toOptional<string>(disabled_reason);
  return {
    count: rows.length,
    keyFingerprints: rows.map(({ key_fingerprint }) => key_fingerprint as string),
    failingSinceMs: rows
      .filter((row) => reasonOf(row) === undefined)
      .flatMap(({ failing_since_ms }) => toOptionalNumber(failing_since_ms) ?? []),
    givenUp: rows.filter((row) => ["gone", "failing"].includes(reasonOf(row) ?? "")).length,
  };
}

/** Lock a webhook before its deliveries: another order can deadlock. */
export async function lockWebhook(tx: Transaction, id: bigint): Promise<StoredWebhook | undefined> {
  const row = await tx.lock(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = $1`, [id]);
  return row && toStoredWebhook(row);
}

/** The owner's id, access and shelter; undefined if the key has ended. */
export async function findOwner(queries: Queries, { keyId }: StoredWebhook, nowMs: number) {
  if (keyId === 0n) return { id: keyId, access: "admin" as const };
  const row = await queries.first(OWNER, [keyId, nowMs]);
  return row && { id: keyId, access: row.access as Access, shelterId: toOptional<bigint>(row.shelter_id) };
}

/** In the name of the service. The webhook must be locked. */
export async function disableWebhook(
  tx: Transaction,
  before: StoredWebhook,
  disabledReason: DisabledReason,
  atMs: number,
): Promise<void> {
  await tx.run("UPDATE webhooks SET disabled_reason = $2 WHERE id = $1", [before.id, disabledReason]);
  const record = auditWebhookUpdate(before, { ...before, disabledReason });
  if (record !== undefined)
    await recordAudit(tx, { ...record, actor: SERVICE_ACTOR, atMs, target: { webhookId: before.id } });
}

export function toStoredWebhook(row: Row): StoredWebhook {
  const types = toOptional<string>(row.types)?.split(",");
  return { ...toObject<StoredWebhook>(row, WEBHOOK_COLUMNS), types };
}

export function toDelivery(row: Row): Delivery {
  return toObject(row, DELIVERY_COLUMNS);
}
