// Deliveries in SQL, which the dispatchers of all nodes take, claim and record.

import { DAY_MS } from "../../../domain/basics/durations.ts";
import { type EventFilter, eventIdOf, filterFor, isVisible } from "../../../domain/events/event.ts";
import { CLAIM_MS } from "../../../domain/webhooks/attempt-timeouts.ts";
import type { Delivery } from "../../../domain/webhooks/delivery.ts";
import { sayFailure } from "../../../domain/webhooks/delivery-failures.ts";
import type {
  Attempt,
  ClaimedDelivery,
  DeliveryFigures,
  DispatchStore,
  DispatchTarget,
  Failures,
  RecordedAttempt,
  TakeLimits,
  TakenWork,
} from "../../../domain/webhooks/dispatch.ts";
import { type StoredWebhook, typesOf } from "../../../domain/webhooks/webhook.ts";
import { DELIVERIES_KEPT_DAYS } from "../../../domain/webhooks/webhook-limits.ts";
import type { Database, Row, Transaction } from "../../database.ts";
import { deleteSome, TABLES, toJsonRows, toObject, toOptionalNumber } from "../../tables.ts";
import { NEWEST_NUMBER } from "../animals/history.ts";
import { findEvents, readEvents } from "../events/events.ts";
import { isActiveAt } from "../keys/key-rows.ts";
import { disableWebhook, findOwner, lockWebhook, toDelivery } from "./webhook-rows.ts";

const KEPT_MS = DELIVERIES_KEPT_DAYS * DAY_MS;
const NOT_KEPT = sayFailure("event_not_kept");

const IS_DUE = `status = 'pending' AND next_attempt_at_ms <= $1
  AND (claimed_until_ms IS NULL OR claimed_until_ms <= $1)`;
const HAS_ENDED = `(key_id <> 0
  AND NOT EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = key_id AND ${isActiveAt("$1")}))`;
const LOOK = `SELECT id, key_id, key_fingerprint, failing_since_ms, last_failure_at_ms, ${NEWEST_NUMBER} AS newest, number,
    CASE WHEN number < ${NEWEST_NUMBER} OR ${HAS_ENDED}
      OR EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = webhooks.id AND ${IS_DUE}) THEN 1 ELSE 0 END AS has_work
  FROM webhooks WHERE disabled_reason IS NULL ORDER BY id`;

/** A replayed event has a delivery, which begins again. SQLite needs the WHERE before ON CONFLICT. */
const ADD_MANY = `INSERT INTO deliveries
    (webhook_id, number, event_id, type, status, attempts, next_attempt_at_ms, created_at_ms)
  SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT), value ->> 2, value ->> 3, 'pending', 0,
    CAST(value ->> 4 AS BIGINT), CAST(value ->> 4 AS BIGINT) FROM jsonb_each($1) WHERE 1 = 1
  ON CONFLICT (webhook_id, number) DO UPDATE SET status = 'pending', attempts = 0,
    next_attempt_at_ms = excluded.next_attempt_at_ms, created_at_ms = excluded.created_at_ms`;

/** Webhooks are deleted without their deliveries. Jumps from one webhook to the next in the index. */
const ORPHAN = `WITH RECURSIVE owners (id) AS (
    SELECT min(webhook_id) FROM deliveries
    UNION ALL SELECT (SELECT min(webhook_id) FROM deliveries WHERE webhook_id > owners.id) FROM owners
      WHERE owners.id IS NOT NULL)
  SELECT id FROM owners WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM webhooks) LIMIT 1`;

const SUCCEEDED =
  "UPDATE webhooks SET last_success_at_ms = $2, failing_since_ms = NULL, last_failure_at_ms = NULL WHERE id = $1";
const FAILED = "UPDATE webhooks SET failing_since_ms = $2, last_failure_at_ms = $3 WHERE id = $1";

const NOTHING: TakenWork = { claimed: [], hasMore: false };

export function createDispatchStore(db: Database): DispatchStore {
  return {
    async look(nowMs) {
      const rows = await db.all(LOOK, [nowMs]);
      return { targets: rows.map(toTarget), newest: (rows[0]?.newest ?? 0n) as bigint };
    },

    async take(id, limits, nowMs) {
      const taken = await db.transaction((tx) => takeWork(tx, id, limits, nowMs));
      // Receivers learn of these numbers.
      db.lineage?.note({ pets: Math.max(...taken.claimed.map(({ event }) => Number(event.number)), 0) });
      return taken;
    },
    record: (claimed, attempt, findReason) =>
      db.transaction((tx) => recordAttempt(tx, claimed, attempt, findReason)),

    disable: (id, reason, { failingSinceMs, lastFailureMs }, nowMs) =>
      db.transaction(async (tx) => {
        const webhook = await lockWebhook(tx, id);
        if (webhook === undefined || webhook.disabledReason !== undefined) return false;
        const now = failuresOf(webhook);
        if (now?.failingSinceMs !== failingSinceMs || now.lastFailureMs !== lastFailureMs) return false;
        await disableWebhook(tx, webhook, reason, nowMs);
        return true;
      }),

    async release({ delivery, claimedUntilMs }) {
      const sql = "UPDATE deliveries SET claimed_until_ms = NULL WHERE id = $1 AND claimed_until_ms = $2";
      await db.transaction((tx) => tx.run(sql, [delivery.id, claimedUntilMs]));
    },

    async releaseAll() {
      const sql = "UPDATE deliveries SET claimed_until_ms = NULL WHERE claimed_until_ms IS NOT NULL";
      await db.transaction((tx) => tx.run(sql));
    },

    async forget(nowMs) {
      const orphan = await db.first(ORPHAN);
      return orphan === undefined
        ? deleteSome(db, "deliveries", {
            condition: "status <> 'pending' AND created_at_ms <= $1",
            values: [nowMs - KEPT_MS],
          })
        : deleteSome(db, "deliveries", { condition: "webhook_id = $1", values: [orphan.id as bigint] });
    },

    measure: () => measureBacklog(db),
  };
}

async function measureBacklog(db: Database): Promise<DeliveryFigures> {
  const row = await db.first(
    `SELECT count(*) AS pending, min(created_at_ms) AS oldest FROM deliveries
     WHERE status = 'pending' AND webhook_id IN (SELECT id FROM webhooks WHERE disabled_reason IS NULL)`,
  );
  const failing = await db.all(
    "SELECT failing_since_ms FROM webhooks WHERE disabled_reason IS NULL AND failing_since_ms IS NOT NULL",
  );
  return {
    pending: Number(row?.pending),
    oldestPendingMs: toOptionalNumber(row?.oldest),
    failingSinceMs: failing.map(({ failing_since_ms }) => Number(failing_since_ms)),
  };
}

function toTarget(row: Row): DispatchTarget {
  return {
    ...toObject<Pick<DispatchTarget, "id" | "keyId" | "keyFingerprint">>(row, "id, key_id, key_fingerprint"),
    failures: failuresOf(toObject(row, "failing_since_ms, last_failure_at_ms")),
    hasWork: Number(row.has_work) === 1,
    behind: Number((row.newest as bigint) - (row.number as bigint)),
  };
}

async function takeWork(tx: Transaction, id: bigint, limits: TakeLimits, nowMs: number): Promise<TakenWork> {
  const webhook = await lockWebhook(tx, id);
  if (webhook === undefined || webhook.disabledReason !== undefined) return NOTHING;
  const owner = await findOwner(tx, webhook, nowMs);
  if (owner === undefined) {
    await disableWebhook(tx, webhook, "key_ended", nowMs);
    return { ...NOTHING, disabledReason: "key_ended" };
  }
  const filter = filterFor(owner, { types: typesOf(webhook) });
  const hasMore = limits.events > 0 && (await addDeliveries(tx, webhook, filter, { limits, nowMs }));
  const claimed = await claim(tx, id, limits, nowMs);
  return { claimed: await addEvents(tx, claimed, webhook, filter), hasMore };
}

/** SKIP LOCKED: a row that another transaction changes is left for later. */
async function claim(
  tx: Transaction,
  id: bigint,
  { node, endpoint }: TakeLimits,
  nowMs: number,
): Promise<Delivery[]> {
  const busy = await tx.first(
    "SELECT count(*) AS count FROM deliveries WHERE webhook_id = $1 AND claimed_until_ms > $2",
    [id, nowMs],
  );
  const limit = Math.min(node, endpoint - Number(busy?.count));
  if (limit <= 0) return [];
  const due = `SELECT id FROM deliveries WHERE webhook_id = $2 AND ${IS_DUE}
    ORDER BY next_attempt_at_ms, id LIMIT $3 ${tx.engine === "postgres" ? "FOR UPDATE SKIP LOCKED" : ""}`;
  const rows = await tx.all(
    `UPDATE deliveries SET claimed_until_ms = $4 WHERE id IN (${due}) RETURNING ${TABLES.deliveries}`,
    [nowMs, id, limit, nowMs + CLAIM_MS],
  );
  return rows.map(toDelivery);
}

/** Deliveries without an event have failed, which is not the receiver's fault. */
async function addEvents(
  tx: Transaction,
  deliveries: Delivery[],
  webhook: StoredWebhook,
  filter: EventFilter,
): Promise<ClaimedDelivery[]> {
  const numbers = deliveries.map(({ number }) => number);
  const visible = (await findEvents(tx, numbers)).filter((event) => isVisible(event, filter));
  const events = new Map(visible.map((event) => [event.number, event]));
  const claimed: ClaimedDelivery[] = [];
  for (const delivery of deliveries) {
    const event = events.get(delivery.number);
    if (event !== undefined)
      claimed.push({ webhook, delivery, event, claimedUntilMs: delivery.claimedUntilMs as number });
    else
      await tx.run(
        `UPDATE deliveries SET status = 'failed', next_attempt_at_ms = NULL, claimed_until_ms = NULL, last_error = $2
         WHERE id = $1`,
        [delivery.id, NOT_KEPT],
      );
  }
  return claimed;
}

/** Undefined if the claim has ended, or the webhook was deleted. */
async function recordAttempt(
  tx: Transaction,
  { webhook: { id }, delivery, claimedUntilMs }: ClaimedDelivery,
  { isDelivered, nextAttemptAtMs, status, error, atMs }: Attempt,
  findReason: Parameters<DispatchStore["record"]>[2],
): Promise<RecordedAttempt | undefined> {
  const webhook = await lockWebhook(tx, id);
  const after = isDelivered ? "delivered" : nextAttemptAtMs === undefined ? "failed" : "pending";
  const changed = await tx.run(
    `UPDATE deliveries SET status = $3, attempts = attempts + 1, next_attempt_at_ms = $4,
       claimed_until_ms = NULL, last_status = $5, last_error = $6, last_attempt_at_ms = $7
     WHERE id = $1 AND claimed_until_ms = $2`,
    [delivery.id, claimedUntilMs, after, nextAttemptAtMs ?? null, status ?? null, error ?? null, atMs],
  );
  if (webhook === undefined || changed === 0) return undefined;
  const failuresBefore = failuresOf(webhook);
  if (isDelivered) {
    await tx.run(SUCCEEDED, [id, atMs]);
    return { failuresBefore, failures: undefined, disabledReason: undefined };
  }
  const failures = { failingSinceMs: failuresBefore?.failingSinceMs ?? atMs, lastFailureMs: atMs };
  await tx.run(FAILED, [id, failures.failingSinceMs, atMs]);
  const disabledReason = webhook.disabledReason === undefined ? findReason(failures) : undefined;
  if (disabledReason !== undefined) await disableWebhook(tx, webhook, disabledReason, atMs);
  return { failuresBefore, failures, disabledReason };
}

/** Moves the position, and adds the deliveries up to it. Resolves to whether there are more events. */
async function addDeliveries(
  tx: Transaction,
  { id, number }: StoredWebhook,
  filter: EventFilter,
  { limits, nowMs }: { limits: TakeLimits; nowMs: number },
): Promise<boolean> {
  const { page } = await readEvents(tx, number, filter, limits.events);
  const { epoch, events, examined, newest } = page;
  if (examined <= number) return false;
  const rows = events.map((event) => [id, event.number, eventIdOf(epoch, event.number), event.type, nowMs]);
  if (rows.length > 0) await tx.run(ADD_MANY, [toJsonRows(rows)]);
  await tx.run("UPDATE webhooks SET number = $2 WHERE id = $1", [id, examined]);
  return examined < newest;
}

function failuresOf({
  failingSinceMs,
  lastFailureAtMs,
}: Pick<StoredWebhook, "failingSinceMs" | "lastFailureAtMs">): Failures | undefined {
  if (failingSinceMs === undefined) return undefined;
  return { failingSinceMs, lastFailureMs: lastFailureAtMs ?? failingSinceMs };
}
