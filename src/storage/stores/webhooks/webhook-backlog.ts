// Events that a webhook has not received yet: counted, skipped, resumed and sent again.

import { ServiceError } from "../../../domain/basics/errors.ts";
import type { EventCursor } from "../../../domain/events/event-cursor.ts";
import { sayFailure } from "../../../domain/webhooks/delivery-failures.ts";
import { type StoredWebhook, typesOf, type Webhook } from "../../../domain/webhooks/webhook.ts";
import { EVENTS_PER_PORTION } from "../../../domain/webhooks/webhook-limits.ts";
import type { Queries, Row, Transaction } from "../../database.ts";
import { placeholders } from "../../tables.ts";
import { readFeedState, requireKept } from "../events/events.ts";
import { toStoredWebhook } from "./webhook-rows.ts";

/** Changes counted as pending beyond the position: the count must stay cheap, however long a webhook was disabled. */
const COUNTED_MAX = 10_000n;
/** A webhook may have very many pending deliveries. SQLite blocks the process while it changes them. */
export const CHANGED_PER_TRANSACTION = 500;
const SKIPPED = sayFailure("event_skipped");

/** A column that `addPending` needs. */
export const PENDING_ROWS = `(SELECT count(*) FROM deliveries
  WHERE webhook_id = webhooks.id AND status = 'pending') AS pending_rows`;

/** Moves the position to the newest event, and skips the deliveries that were added since the steps before. */
export async function skipEvents(tx: Transaction, id: bigint): Promise<void> {
  const { newest } = await readFeedState(tx);
  await tx.run("UPDATE webhooks SET number = $2 WHERE id = $1", [id, newest]);
  await skipSome(tx, id);
}

export function skipSome(tx: Transaction, id: bigint): Promise<number> {
  return tx.run(
    `UPDATE deliveries SET status = 'failed', next_attempt_at_ms = NULL, claimed_until_ms = NULL, last_error = $2
     WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = $1 AND status = 'pending'
       ORDER BY id LIMIT ${CHANGED_PER_TRANSACTION})`,
    [id, SKIPPED],
  );
}

/** Pending deliveries become due now, instead of at the end of a long pause. */
export function resumeSome(tx: Transaction, id: bigint, nowMs: number): Promise<number> {
  return tx.run(
    `UPDATE deliveries SET next_attempt_at_ms = $2
     WHERE id IN (SELECT id FROM deliveries WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at_ms > $2
       ORDER BY next_attempt_at_ms LIMIT ${CHANGED_PER_TRANSACTION})`,
    [id, nowMs],
  );
}

export async function replayOne(
  tx: Transaction,
  id: bigint,
  deliveryId: bigint,
  nowMs: number,
): Promise<void> {
  const changed = await tx.run(
    `UPDATE deliveries SET status = 'pending', attempts = 0, next_attempt_at_ms = $3, created_at_ms = $3
     WHERE webhook_id = $1 AND id = $2`,
    [id, deliveryId, nowMs],
  );
  if (changed === 0) throw new ServiceError("delivery_not_found");
}

/** The events after `after` get their deliveries again. A second replay would repeat the work of the first. */
export async function replayAfter(
  tx: Transaction,
  webhook: StoredWebhook,
  after: EventCursor,
): Promise<void> {
  const { id, number, disabledReason } = webhook;
  const state = await readFeedState(tx);
  requireKept(after, state);
  if (after.number >= number) return;
  // While the webhook is disabled, nothing runs.
  if (disabledReason === undefined && (await isCatchingUp(tx, webhook, state.newest)))
    throw new ServiceError("invalid_transition", {
      message: "A replay of this webhook is still running. Repeat this request when it has ended.",
    });
  await tx.run("UPDATE webhooks SET number = $2 WHERE id = $1", [id, after.number]);
}

/** Only a replay leaves deliveries beyond the position. A webhook without old deliveries is known by its distance. */
async function isCatchingUp(
  tx: Transaction,
  { id, number }: StoredWebhook,
  newest: bigint,
): Promise<boolean> {
  if (newest - number > BigInt(EVENTS_PER_PORTION)) return true;
  const sql = "SELECT id FROM deliveries WHERE webhook_id = $1 AND number > $2 LIMIT 1";
  return (await tx.first(sql, [id, number])) !== undefined;
}

/** Webhooks that have no delivery for their next events yet get these counted. */
export async function addPending(queries: Queries, rows: Row[]): Promise<Webhook[]> {
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
  const row = await queries.first(
    `SELECT count(*) AS count FROM history
     WHERE number > $1 AND number <= $2 AND what IN (${placeholders(types.length, 3)})`,
    [webhook.number, webhook.number + COUNTED_MAX, ...types],
  );
  return Number(row?.count);
}
