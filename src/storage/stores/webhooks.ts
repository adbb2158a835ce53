// Webhooks in SQL, with their records in the audit log.

import type { AuditStamp, RecordedChange } from "../../domain/audit.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { EventType } from "../../domain/event.ts";
import type { Access } from "../../domain/keys/plan.ts";
import {
  type Delivery,
  type DeliveryStatus,
  type DisabledReason,
  type StoredWebhook,
  typesOf,
  type Webhook,
  type WebhookChanges,
  type WebhookStore,
} from "../../domain/webhook.ts";
import {
  auditWebhookCreation,
  auditWebhookDeletion,
  auditWebhookRotation,
  auditWebhookUpdate,
} from "../../domain/webhook-audit.ts";
import { WEBHOOKS_MAX, WEBHOOKS_PER_KEY_MAX } from "../../domain/webhook-limits.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../database.ts";
import type { WebhookInspection } from "../inspection.ts";
import { TABLES, toOptional, toOptionalNumber } from "../tables.ts";
import { recordAudit } from "./audit.ts";
import { readFeedState, requireKept } from "./events.ts";

/** Changes counted as pending beyond the position: the count must stay cheap, however long a webhook was disabled. */
const COUNTED_MAX = 10_000n;
/** A webhook may have very many pending deliveries. SQLite blocks the process while it changes them. */
const CHANGED_PER_TRANSACTION = 500;
const SKIPPED = "Skipped: the webhook continued with later events.";

const COLUMNS = TABLES.webhooks;
const PENDING_ROWS = `(SELECT count(*) FROM deliveries
  WHERE webhook_id = webhooks.id AND status = 'pending') AS pending_rows`;

/** The old failures do not count for a webhook that is enabled again. */
const FORGET_FAILURES =
  "UPDATE webhooks SET failing_since_ms = NULL, last_failure_at_ms = NULL WHERE id = $1";

/** A key in force at the time $2; key 0 exists in the settings only. */
const OWNER = `SELECT id, access FROM api_keys
  WHERE id = $1 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $2)`;

/** For `doctor`, which reads SQLite without a Database: one row per webhook. */
export const INSPECT_WEBHOOKS = "SELECT key_fingerprint, disabled_reason, failing_since_ms FROM webhooks";

export function inspectWebhooks(rows: Row[]): WebhookInspection {
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

export function createWebhookStore(db: Database): WebhookStore {
  async function find(queries: Queries, id: bigint): Promise<Webhook | undefined> {
    const sql = `SELECT ${COLUMNS}, ${PENDING_ROWS} FROM webhooks WHERE id = $1`;
    return (await addPending(queries, await queries.all(sql, [id])))[0];
  }

  /** `work` gets the locked webhook, and resolves to its record for the audit log, if there is one. */
  function change(
    id: bigint,
    stamp: AuditStamp,
    work: (tx: Transaction, before: StoredWebhook) => Promise<RecordedChange | undefined>,
  ): Promise<Webhook | undefined> {
    return db.transaction(async (tx) => {
      const before = await lockWebhook(tx, id);
      if (before === undefined) return undefined;
      const record = await work(tx, before);
      if (record !== undefined) await recordWebhook(tx, id, record, stamp);
      return find(tx, id);
    });
  }

  /** Repeats a step that changes a limited number of rows, until there are no more. */
  async function repeatStep(
    id: bigint,
    step: (tx: Transaction, webhook: StoredWebhook) => Promise<number>,
  ): Promise<void> {
    const inTransaction = () =>
      db.transaction(async (tx) => {
        const webhook = await lockWebhook(tx, id);
        return webhook === undefined ? 0 : step(tx, webhook);
      });
    while ((await inTransaction()) === CHANGED_PER_TRANSACTION);
  }

  return {
    async list({ limit, after = 0n }, keyId) {
      const which = keyId === undefined ? "" : "AND key_id = $3";
      const rows = await db.all(
        `SELECT ${COLUMNS}, ${PENDING_ROWS} FROM webhooks WHERE id > $1 ${which} ORDER BY id LIMIT $2`,
        [after, limit, ...(keyId === undefined ? [] : [keyId])],
      );
      return addPending(db, rows);
    },

    find: (id) => find(db, id),

    create: ({ keyId, keyFingerprint, url, types, description, after }, stamp) =>
      db.transaction(async (tx) => {
        // Of several that are created at the same time, each counts the ones before it.
        await tx.lock("SELECT id FROM store");
        await requireRoom(tx, keyId);
        const state = await readFeedState(tx);
        if (after !== "now") requireKept(after, state);
        const row = await tx.first(
          `INSERT INTO webhooks (key_id, url, types, description, number, version, created_at_ms, key_fingerprint)
           VALUES ($1, $2, $3, $4, $5, 1, $6, $7) RETURNING ${COLUMNS}, 0 AS pending_rows`,
          [
            ...[keyId, url, toTypesText(types), description ?? null],
            ...[after === "now" ? state.newest : after.number, stamp.atMs, keyFingerprint],
          ],
        );
        const [webhook] = (await addPending(tx, [row as Row])) as [Webhook];
        await recordWebhook(tx, webhook.id, auditWebhookCreation(webhook), stamp);
        return webhook;
      }),

    async update(id, changes, stamp) {
      const skipsPending = changes.after === "now";
      let isEnabled = false;
      const apply = async (tx: Transaction, before: StoredWebhook) => {
        const after = applyChanges(before, changes);
        isEnabled = before.disabledReason !== undefined && after.disabledReason === undefined;
        if (isEnabled) await requireOwner(tx, before, stamp.atMs);
        return after;
      };
      if (skipsPending)
        await repeatStep(id, async (tx, before) => {
          // A change that is refused must skip nothing.
          await apply(tx, before);
          return skipSome(tx, id);
        });
      const changed = await change(id, stamp, async (tx, before) => {
        const after = await apply(tx, before);
        await tx.run(
          "UPDATE webhooks SET url = $2, types = $3, description = $4, disabled_reason = $5 WHERE id = $1",
          [
            ...[id, after.url, toTypesText(after.types), after.description ?? null],
            after.disabledReason ?? null,
          ],
        );
        if (skipsPending) await skipEvents(tx, id);
        if (isEnabled) await tx.run(FORGET_FAILURES, [id]);
        return auditWebhookUpdate(before, after);
      });
      if (isEnabled) await repeatStep(id, (tx) => resumeSome(tx, id, stamp.atMs));
      return changed;
    },

    rotate: (id, keyFingerprint, stamp) =>
      change(id, stamp, async (tx) => {
        await tx.run(
          "UPDATE webhooks SET version = version + 1, rotated_at_ms = $2, key_fingerprint = $3 WHERE id = $1",
          [id, stamp.atMs, keyFingerprint],
        );
        return auditWebhookRotation(stamp.atMs);
      }),

    delete: (id, stamp) =>
      db.transaction(async (tx) => {
        const before = await lockWebhook(tx, id);
        if (before === undefined) return false;
        await tx.run("DELETE FROM webhooks WHERE id = $1", [id]);
        await recordWebhook(tx, id, auditWebhookDeletion(before), stamp);
        return true;
      }),

    async listDeliveries(id, { limit, after }, status) {
      const values: SqlValue[] = [id, limit];
      const conditions = ["webhook_id = $1"];
      if (after !== undefined) conditions.push(`id < $${values.push(after)}`);
      if (status !== undefined) conditions.push(`status = $${values.push(status)}`);
      const sql = `SELECT ${TABLES.deliveries} FROM deliveries
        WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT $2`;
      return (await db.all(sql, values)).map(toDelivery);
    },

    replay: (id, what, nowMs) =>
      db.transaction(async (tx) => {
        const webhook = await lockWebhook(tx, id);
        if (webhook === undefined) return undefined;
        if ("deliveryId" in what) await replayOne(tx, id, what.deliveryId, nowMs);
        else {
          requireKept(what.after, await readFeedState(tx));
          // The events between get their deliveries again.
          const sql = "UPDATE webhooks SET number = $2 WHERE id = $1 AND number > $2";
          await tx.run(sql, [id, what.after.number]);
        }
        return find(tx, id);
      }),
  };
}

async function recordWebhook(
  tx: Transaction,
  webhookId: bigint,
  record: RecordedChange,
  { actor, atMs }: AuditStamp,
): Promise<void> {
  await recordAudit(tx, { ...record, target: { webhookId }, actor, atMs });
}

/** Locks of a webhook come before those of its deliveries: another order can deadlock. */
export async function lockWebhook(tx: Transaction, id: bigint): Promise<StoredWebhook | undefined> {
  const row = await tx.lock(`SELECT ${COLUMNS} FROM webhooks WHERE id = $1`, [id]);
  return row && toStoredWebhook(row);
}

/** The owner's id and access; undefined if the key has ended. */
export async function findOwner(queries: Queries, { keyId }: StoredWebhook, nowMs: number) {
  if (keyId === 0n) return { id: keyId, access: "admin" as const };
  const row = await queries.first(OWNER, [keyId, nowMs]);
  return row && { id: keyId, access: row.access as Access };
}

/** By the service itself, or by an operation. The webhook must be locked. */
export async function disableWebhook(
  tx: Transaction,
  before: StoredWebhook,
  disabledReason: DisabledReason,
  stamp: AuditStamp,
): Promise<void> {
  const sql = "UPDATE webhooks SET disabled_reason = $2 WHERE id = $1";
  await tx.run(sql, [before.id, disabledReason]);
  const record = auditWebhookUpdate(before, { ...before, disabledReason });
  if (record !== undefined) await recordWebhook(tx, before.id, record, stamp);
}

async function requireRoom(tx: Transaction, keyId: bigint): Promise<void> {
  const row = await tx.first(
    "SELECT count(*) AS all_of_them, coalesce(sum(CASE WHEN key_id = $1 THEN 1 ELSE 0 END), 0) AS own FROM webhooks",
    [keyId],
  );
  if (Number(row?.own) >= WEBHOOKS_PER_KEY_MAX || Number(row?.all_of_them) >= WEBHOOKS_MAX)
    throw new ServiceError("too_many_webhooks");
}

async function requireOwner(tx: Transaction, webhook: StoredWebhook, nowMs: number): Promise<void> {
  if ((await findOwner(tx, webhook, nowMs)) !== undefined) return;
  throw new ServiceError("invalid_transition", {
    message: "The key of this webhook was revoked or has expired. Create the webhook with another key.",
  });
}

function applyChanges(before: StoredWebhook, changes: WebhookChanges): StoredWebhook {
  const { url = before.url, types = before.types, description = before.description, status } = changes;
  const reason = status === "enabled" ? undefined : (before.disabledReason ?? (status && "requested"));
  return {
    ...before,
    url,
    types: types ?? undefined,
    description: description ?? undefined,
    disabledReason: reason,
  };
}

/** Nothing up to now gets a delivery any more. The last pending deliveries were added since the steps before. */
async function skipEvents(tx: Transaction, id: bigint): Promise<void> {
  const { newest } = await readFeedState(tx);
  await tx.run("UPDATE webhooks SET number = $2 WHERE id = $1", [id, newest]);
  await skipSome(tx, id);
}

function skipSome(tx: Transaction, id: bigint): Promise<number> {
  return tx.run(
    `UPDATE deliveries SET status = 'failed', next_attempt_at_ms = NULL, claimed_until_ms = NULL, last_error = $2
     WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = $1 AND status = 'pending'
       ORDER BY id LIMIT ${CHANGED_PER_TRANSACTION})`,
    [id, SKIPPED],
  );
}

/** Nothing waits for the end of a long pause. */
function resumeSome(tx: Transaction, id: bigint, nowMs: number): Promise<number> {
  return tx.run(
    `UPDATE deliveries SET next_attempt_at_ms = $2
     WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at_ms > $2
       ORDER BY next_attempt_at_ms LIMIT ${CHANGED_PER_TRANSACTION})`,
    [id, nowMs],
  );
}

async function replayOne(tx: Transaction, id: bigint, deliveryId: bigint, nowMs: number): Promise<void> {
  const changed = await tx.run(
    `UPDATE deliveries SET status = 'pending', attempts = 0, next_attempt_at_ms = $3, created_at_ms = $3
     WHERE webhook_id = $1 AND id = $2`,
    [id, deliveryId, nowMs],
  );
  if (changed === 0) throw new ServiceError("delivery_not_found");
}

/** Webhooks that have no delivery for their next events yet get these counted. */
async function addPending(queries: Queries, rows: Row[]): Promise<Webhook[]> {
  if (rows.length === 0) return [];
  const { newest } = await readFeedState(queries);
  const webhooks: Webhook[] = [];
  for (const row of rows) {
    const webhook = toStoredWebhook(row);
    const later = webhook.number < newest ? await countEvents(queries, webhook) : 0;
    webhooks.push({ ...webhook, pending: Number(row.pending_rows) + later });
  }
  return webhooks;
}

async function countEvents(queries: Queries, webhook: StoredWebhook): Promise<number> {
  const types = typesOf(webhook);
  const places = types.map((_, index) => `$${index + 3}`).join(", ");
  const row = await queries.first(
    `SELECT count(*) AS count FROM history WHERE number > $1 AND number <= $2 AND what IN (${places})`,
    [webhook.number, webhook.number + COUNTED_MAX, ...types],
  );
  return Number(row?.count);
}

function toTypesText(types: string[] | undefined): string | null {
  return types?.join(",") ?? null;
}

function toStoredWebhook(row: Row): StoredWebhook {
  return {
    id: row.id as bigint,
    keyId: row.key_id as bigint,
    url: row.url as string,
    types: toOptional<string>(row.types)?.split(","),
    description: toOptional<string>(row.description),
    disabledReason: toOptional<string>(row.disabled_reason) as DisabledReason | undefined,
    createdAtMs: Number(row.created_at_ms),
    version: Number(row.version),
    keyFingerprint: row.key_fingerprint as string,
    rotatedAtMs: toOptionalNumber(row.rotated_at_ms),
    lastSuccessAtMs: toOptionalNumber(row.last_success_at_ms),
    failingSinceMs: toOptionalNumber(row.failing_since_ms),
    lastFailureAtMs: toOptionalNumber(row.last_failure_at_ms),
    number: row.number as bigint,
  };
}

export function toDelivery(row: Row): Delivery {
  return {
    id: row.id as bigint,
    webhookId: row.webhook_id as bigint,
    eventId: row.event_id as string,
    number: row.number as bigint,
    type: row.type as EventType,
    status: row.status as DeliveryStatus,
    attempts: Number(row.attempts),
    nextAttemptAtMs: toOptionalNumber(row.next_attempt_at_ms),
    lastStatus: toOptionalNumber(row.last_status),
    lastError: toOptional<string>(row.last_error),
    lastAttemptAtMs: toOptionalNumber(row.last_attempt_at_ms),
    claimedUntilMs: toOptionalNumber(row.claimed_until_ms),
  };
}
