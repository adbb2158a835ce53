// Events in SQL: pages of the history with what an event needs of its order.

import { ServiceError } from "../../domain/errors.ts";
import type { EventCursor, EventFilter, EventStore, StoredEvent } from "../../domain/event.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import type { Database, Row, SqlValue } from "../database.ts";
import { columnsOf, toOptional } from "../tables.ts";
import { toChange } from "./history.ts";

/** Events examined per call: a filter that matches few must not read a long history at once. */
const EXAMINED_MAX = 10_000n;
const FORGOTTEN_PER_TRANSACTION = 500;

const EVENT_COLUMNS = columnsOf("history").map((column) => `history.${column}`);
/** The numbers have no gaps, so a range of numbers is a number of events. One row without events if none matches. */
const STATE = `SELECT epoch, coalesce((SELECT min(number) FROM history), 1) AS oldest,
    coalesce((SELECT max(number) FROM history), 0) AS newest
  FROM store`;

export function createEventStore(db: Database): EventStore {
  return {
    async read(after, filter, limit) {
      const afterNumber = after === "oldest" ? undefined : after.number;
      const rows = await db.all(...selectEvents(afterNumber, filter, limit));
      const { epoch, oldest, newest } = stateOf(rows[0]);
      const from = afterNumber ?? oldest - 1n;
      if (after !== "oldest") requireKept(after, { epoch, oldest, newest });
      const events = rows.filter(({ number }) => toOptional(number) !== undefined).map(toStoredEvent);
      const last = events.at(-1);
      const end = lower(from + EXAMINED_MAX, newest);
      const examined = last !== undefined && events.length === limit ? last.number : end;
      return { epoch, after: from, events, examined, newest };
    },

    async newest() {
      const { epoch, newest } = stateOf(await db.first(STATE));
      return { epoch, number: newest };
    },

    async forget(beforeMs) {
      // Up to the first event that stays, also if a wrong clock has given later ones an earlier time: no gaps.
      const oldest = `SELECT number, at_ms FROM history ORDER BY number LIMIT ${FORGOTTEN_PER_TRANSACTION}`;
      const kept = `SELECT min(number) AS number FROM (${oldest}) AS oldest WHERE at_ms >= $1`;
      const end = `SELECT coalesce((${kept}), (SELECT max(number) FROM (${oldest}) AS oldest) + 1) AS number`;
      const row = await db.first(`${end}, (SELECT max(number) FROM history) AS newest`, [beforeMs]);
      const number = toOptional<bigint>(row?.number);
      if (number === undefined) return 0;
      // The newest is the version of the animals, and stays.
      const values = [number, row?.newest as bigint];
      return db.transaction((tx) => tx.run("DELETE FROM history WHERE number < $1 AND number < $2", values));
    },
  };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

interface FeedState {
  epoch: string;
  oldest: bigint;
  newest: bigint;
}

function stateOf(row: Row | undefined): FeedState {
  return { epoch: row?.epoch as string, oldest: row?.oldest as bigint, newest: row?.newest as bigint };
}

function requireKept({ epoch, number }: EventCursor, state: FeedState): void {
  const isKept = epoch === state.epoch && number >= state.oldest - 1n && number <= state.newest;
  if (!isKept) throw new ServiceError("feed_reset");
}

/** The query for events and the state of the feed at the same moment, and its values. */
function selectEvents(
  after: bigint | undefined,
  { types, petId, ownerId }: EventFilter,
  limit: number,
): [string, SqlValue[]] {
  const values: SqlValue[] = [limit];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const conditions = [
    after === undefined
      ? `history.number < oldest + ${EXAMINED_MAX}`
      : `history.number > ${place(after)} AND history.number <= ${place(lower(after + EXAMINED_MAX, INT64_MAX))}`,
    types.length === 0 ? "1 = 0" : `what IN (${types.map(place).join(", ")})`,
  ];
  if (petId !== undefined) conditions.push(`history.pet_id = ${place(petId)}`);
  // Only changes of orders have an order.
  if (ownerId !== undefined) conditions.push(`(order_id IS NULL OR orders.key_id = ${place(ownerId)})`);
  const found = `SELECT ${EVENT_COLUMNS.join(", ")}, orders.created_at_ms AS ordered_at_ms, orders.key_id AS owner_id
    FROM state CROSS JOIN history LEFT JOIN orders ON orders.id = order_id
    WHERE ${conditions.join(" AND ")} ORDER BY history.number LIMIT $1`;
  return [
    `WITH state AS (${STATE}), found AS (${found})
      SELECT state.epoch, state.oldest, state.newest, found.*
      FROM state LEFT JOIN found ON 1 = 1 ORDER BY found.number`,
    values,
  ];
}

function toStoredEvent(row: Row): StoredEvent {
  const ownerId = toOptional<bigint>(row.owner_id);
  return {
    ...toChange(row),
    order: ownerId === undefined ? undefined : { createdAtMs: Number(row.ordered_at_ms), ownerId },
  };
}
