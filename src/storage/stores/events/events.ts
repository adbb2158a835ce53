// Events in SQL: pages of the history with what an event needs of its order.

import { ServiceError } from "../../../domain/basics/errors.ts";
import { INT64_MAX } from "../../../domain/basics/int64.ts";
import type { EventFilter, EventPage, EventStore, StoredEvent } from "../../../domain/events/event.ts";
import type { EventCursor } from "../../../domain/events/event-cursor.ts";
import type { Database, Queries, Row, SqlValue } from "../../database.ts";
import { columnsOf, placeholders, toOptional } from "../../tables.ts";
import { toChange } from "../animals/history.ts";

/** Events examined per call: a filter that matches few must not read a long history at once. */
const EXAMINED_MAX = 10_000n;
const FORGOTTEN_PER_TRANSACTION = 500;

/** The shelter that the animal belongs to now. */
const PET_SHELTER = "(SELECT pets.shelter_id FROM pets WHERE pets.id = history.pet_id)";
const FOUND_COLUMNS = [
  ...columnsOf("history").map((column) => `history.${column}`),
  "orders.created_at_ms AS ordered_at_ms",
  "orders.key_id AS owner_id",
  `CASE WHEN orders.id IS NOT NULL THEN ${PET_SHELTER} END AS pet_shelter_id`,
].join(", ");
const WITH_ORDER = "LEFT JOIN orders ON orders.id = order_id";
/** The numbers have no gaps, so a range of numbers is a number of events. One row without events if none matches. */
const STATE = `SELECT epoch, coalesce((SELECT min(number) FROM history), 1) AS oldest,
    coalesce((SELECT max(number) FROM history), 0) AS newest
  FROM store`;

export function createEventStore(db: Database): EventStore {
  return {
    async read(after, filter, limit) {
      const position = after === "oldest" ? after : after.number;
      const { page, state } = await readEvents(db, position, filter, limit);
      // A reader may learn of a change before the node that made it has published it.
      db.lineage?.note({ pets: Number(state.newest) });
      if (after !== "oldest") requireKept(after, state);
      return page;
    },

    async newest() {
      const { epoch, newest } = await readFeedState(db);
      db.lineage?.note({ pets: Number(newest) });
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

/** The events with these numbers that the history still has. */
export async function findEvents(queries: Queries, numbers: bigint[]): Promise<StoredEvent[]> {
  if (numbers.length === 0) return [];
  const sql = `SELECT ${FOUND_COLUMNS} FROM history ${WITH_ORDER}
    WHERE history.number IN (${placeholders(numbers.length)})`;
  return (await queries.all(sql, numbers)).map(toStoredEvent);
}

export async function readFeedState(queries: Queries): Promise<FeedState> {
  return stateOf(await queries.first(STATE));
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

/** Throws `feed_reset`. */
export function requireKept({ epoch, number }: EventCursor, state: FeedState): void {
  const isKept = epoch === state.epoch && number >= state.oldest - 1n && number <= state.newest;
  if (!isKept) throw new ServiceError("feed_reset");
}

/** A page after a number that may no longer be kept, and the state of the feed at the same moment. */
export async function readEvents(
  queries: Queries,
  after: bigint | "oldest",
  { types, petId, ownerId, shelterId }: EventFilter,
  limit: number,
): Promise<{ page: EventPage; state: FeedState }> {
  const values: SqlValue[] = [limit];
  const bindValue = (value: SqlValue) => `$${values.push(value)}`;
  const conditions = [
    after === "oldest"
      ? `history.number < (SELECT min(number) FROM history) + ${EXAMINED_MAX}`
      : `history.number > ${bindValue(after)} AND history.number <= ${bindValue(lower(after + EXAMINED_MAX, INT64_MAX))}`,
    types.length === 0 ? "1 = 0" : `what IN (${types.map(bindValue).join(", ")})`,
  ];
  if (petId !== undefined) conditions.push(`history.pet_id = ${bindValue(petId)}`);
  // Only changes of orders have an order.
  if (ownerId !== undefined) conditions.push(`(order_id IS NULL OR orders.key_id = ${bindValue(ownerId)})`);
  if (shelterId !== undefined)
    conditions.push(`(order_id IS NULL OR ${PET_SHELTER} = ${bindValue(shelterId)})`);
  // Joined with the state, SQLite would index the whole history by type, and PostgreSQL would read all of it.
  const found = `SELECT ${FOUND_COLUMNS} FROM history ${WITH_ORDER}
    WHERE ${conditions.join(" AND ")} ORDER BY history.number LIMIT $1`;
  const rows = await queries.all(
    `WITH state AS (${STATE}), found AS (${found})
      SELECT state.epoch, state.oldest, state.newest, found.*
      FROM state LEFT JOIN found ON 1 = 1 ORDER BY found.number`,
    values,
  );
  const state = stateOf(rows[0]);
  const events = rows.filter(({ number }) => toOptional(number) !== undefined).map(toStoredEvent);
  const from = after === "oldest" ? state.oldest - 1n : after;
  const last = events.length === limit ? events.at(-1) : undefined;
  const examined = last?.number ?? lower(from + EXAMINED_MAX, state.newest);
  const { epoch, newest } = state;
  return { page: { epoch, after: from, events, examined, newest }, state };
}

function toStoredEvent(row: Row): StoredEvent {
  const ownerId = toOptional<bigint>(row.owner_id);
  const shelterId = toOptional<bigint>(row.pet_shelter_id);
  const order =
    ownerId === undefined ? ownerId : { createdAtMs: Number(row.ordered_at_ms), ownerId, shelterId };
  return { ...toChange(row), order };
}
