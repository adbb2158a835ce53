// Webhooks in SQL, with their records in the audit log.

import { WEBHOOKS_MAX, WEBHOOKS_PER_KEY_MAX } from "../../../domain/basics/count-limits.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import type { AuditOrigin, RecordedChange } from "../../../domain/keys/audit.ts";
import type {
  NewWebhook,
  StoredWebhook,
  Webhook,
  WebhookChanges,
  WebhookStore,
} from "../../../domain/webhooks/webhook.ts";
import {
  auditWebhookCreation,
  auditWebhookDeletion,
  auditWebhookRotation,
  auditWebhookUpdate,
} from "../../../domain/webhooks/webhook-audit.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { TABLES } from "../../tables.ts";
import { readFeedState, requireKept } from "../events/events.ts";
import { recordAudit } from "../keys/audit.ts";
import {
  addPending,
  CHANGED_PER_TRANSACTION,
  PENDING_ROWS,
  replayAfter,
  replayOne,
  resumeSome,
  skipEvents,
  skipSome,
} from "./webhook-backlog.ts";
import { findOwner, lockWebhook, toDelivery, WEBHOOK_COLUMNS } from "./webhook-rows.ts";

const SELECT = `SELECT ${WEBHOOK_COLUMNS}, ${PENDING_ROWS} FROM webhooks`;
/** The old failures do not count for a webhook that is enabled again. */
const FORGET_FAILURES =
  "UPDATE webhooks SET failing_since_ms = NULL, last_failure_at_ms = NULL WHERE id = $1";

export function createWebhookStore(db: Database): WebhookStore {
  return {
    async list({ limit, after = 0n }, keyId) {
      const which = keyId === undefined ? "" : "AND key_id = $3";
      const values = keyId === undefined ? [after, limit] : [after, limit, keyId];
      return addPending(db, await db.all(`${SELECT} WHERE id > $1 ${which} ORDER BY id LIMIT $2`, values));
    },

    find: (id) => findWebhook(db, id),
    count: async (keyId) => (await countWebhooks(db, keyId)).own,
    create: (webhook, origin) => db.transaction((tx) => insertWebhook(tx, webhook, origin)),
    update: (id, changes, origin) => updateWebhook(db, id, changes, origin),

    rotate: (id, keyFingerprint, origin) =>
      changeWebhook(db, id, origin, async (tx) => {
        await tx.run(
          "UPDATE webhooks SET version = version + 1, rotated_at_ms = $2, key_fingerprint = $3 WHERE id = $1",
          [id, origin.atMs, keyFingerprint],
        );
        return auditWebhookRotation(origin.atMs);
      }),

    delete: (id, origin) =>
      db.transaction(async (tx) => {
        const before = await lockWebhook(tx, id);
        if (before === undefined) return false;
        await tx.run("DELETE FROM webhooks WHERE id = $1", [id]);
        await recordAudit(tx, { ...auditWebhookDeletion(before), ...origin, target: { webhookId: id } });
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
        else await replayAfter(tx, webhook, what.after);
        return findWebhook(tx, id);
      }),
  };
}

async function findWebhook(queries: Queries, id: bigint): Promise<Webhook | undefined> {
  return (await addPending(queries, await queries.all(`${SELECT} WHERE id = $1`, [id])))[0];
}

async function insertWebhook(tx: Transaction, webhook: NewWebhook, origin: AuditOrigin): Promise<Webhook> {
  const { keyId, keyFingerprint, url, types, description = null, after } = webhook;
  // When several are created at the same time, each counts the ones before it.
  await tx.lock("SELECT id FROM store");
  await requireRoom(tx, keyId);
  const state = await readFeedState(tx);
  if (after !== "now") requireKept(after, state);
  const number = after === "now" ? state.newest : after.number;
  const row = await tx.first(
    `INSERT INTO webhooks (key_id, url, types, description, number, version, created_at_ms, key_fingerprint)
     VALUES ($1, $2, $3, $4, $5, 1, $6, $7) RETURNING ${WEBHOOK_COLUMNS}, 0 AS pending_rows`,
    [keyId, url, types?.join(",") ?? null, description, number, origin.atMs, keyFingerprint],
  );
  const [created] = (await addPending(tx, [row as Row])) as [Webhook];
  await recordAudit(tx, { ...auditWebhookCreation(created), ...origin, target: { webhookId: created.id } });
  return created;
}

/** `work` gets the locked webhook, and resolves to its record for the audit log, if there is one. */
function changeWebhook(
  db: Database,
  id: bigint,
  origin: AuditOrigin,
  work: (tx: Transaction, before: StoredWebhook) => Promise<RecordedChange | undefined>,
): Promise<Webhook | undefined> {
  return db.transaction(async (tx) => {
    const before = await lockWebhook(tx, id);
    if (before === undefined) return undefined;
    const record = await work(tx, before);
    if (record !== undefined) await recordAudit(tx, { ...record, ...origin, target: { webhookId: id } });
    return findWebhook(tx, id);
  });
}

async function updateWebhook(
  db: Database,
  id: bigint,
  changes: WebhookChanges,
  origin: AuditOrigin,
): Promise<Webhook | undefined> {
  const skipsPending = changes.after === "now";
  let isEnabled = false;
  const apply = async (tx: Transaction, before: StoredWebhook) => {
    const after = applyChanges(before, changes);
    isEnabled = before.disabledReason !== undefined && after.disabledReason === undefined;
    if (isEnabled) await requireOwner(tx, before, origin.atMs);
    return after;
  };
  if (skipsPending)
    await repeatStep(db, id, async (tx, before) => {
      // A change that is refused must skip nothing.
      await apply(tx, before);
      return skipSome(tx, id);
    });
  const changed = await changeWebhook(db, id, origin, async (tx, before) => {
    const after = await apply(tx, before);
    const { url, types, description = null, disabledReason = null } = after;
    await tx.run(
      "UPDATE webhooks SET url = $2, types = $3, description = $4, disabled_reason = $5 WHERE id = $1",
      [id, url, types?.join(",") ?? null, description, disabledReason],
    );
    if (skipsPending) await skipEvents(tx, id);
    if (isEnabled) await tx.run(FORGET_FAILURES, [id]);
    return auditWebhookUpdate(before, after);
  });
  if (isEnabled) await repeatStep(db, id, (tx) => resumeSome(tx, id, origin.atMs));
  return changed;
}

/** Repeats a step that changes a limited number of rows, until there are no more. */
async function repeatStep(
  db: Database,
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

async function countWebhooks(queries: Queries, keyId: bigint): Promise<{ own: number; all: number }> {
  const row = await queries.first(
    "SELECT count(*) AS all_of_them, coalesce(sum(CASE WHEN key_id = $1 THEN 1 ELSE 0 END), 0) AS own FROM webhooks",
    [keyId],
  );
  return { own: Number(row?.own), all: Number(row?.all_of_them) };
}

async function requireRoom(tx: Transaction, keyId: bigint): Promise<void> {
  const { own, all } = await countWebhooks(tx, keyId);
  if (own >= WEBHOOKS_PER_KEY_MAX || all >= WEBHOOKS_MAX) throw new ServiceError("too_many_webhooks");
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
