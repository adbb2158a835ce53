// The history of changes in SQL, written in the transaction of the change.

import type { Change, ChangedState, ChangeKind } from "../../../domain/animals/history.ts";
import type { Page } from "../../../domain/basics/page.ts";
import { awaitAll } from "../../../tools/await-all.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { createStatement } from "../../statements.ts";
import { columnsOf, placeholders, TABLES, toObject } from "../../tables.ts";
import { personOfKey, toPersonName } from "../people/person-name.ts";
import { markPaths, unmarkPaths } from "./photo-column.ts";

const COLUMNS = TABLES.history;
const CHANGE_COLUMNS = "number, what, pet_id, order_id, category_id, shelter_id, at_ms, key_id";
/** Also the version of the animals: every change of animals and orders writes a record. */
export const NEWEST_NUMBER = "(SELECT coalesce(max(number), 0) FROM history)";
/** The columns without the number. */
const VALUES = columnsOf("history").slice(1);
export const RECORD = createStatement({
  name: "recordChanges",
  isWrite: true,
  values:
    "what text, pet_id bigint, order_id bigint, state_before text, state_after text, at_ms bigint, key_id bigint, category_id bigint, shelter_id bigint",
  one: `INSERT INTO history (${COLUMNS}) VALUES (${NEWEST_NUMBER} + 1, ${placeholders(VALUES.length)})`,
  many: (input) => `INSERT INTO history (${COLUMNS})
    SELECT ${NEWEST_NUMBER} + n, ${VALUES.join(", ")} FROM ${input}`,
});

/** Changes of categories and shelters have the animal 0, which does not exist. */
const OF_PET = "pet_id = $1 AND category_id IS NULL AND shelter_id IS NULL";

export type NewChange = Omit<Change, "number">;

export interface Recorder {
  record(changes: NewChange[]): Promise<void>;
  /** The caller's own statement has recorded the changes; `number` is the newest. */
  recorded(number: number): void;
}

/** Awaited with the newest number of the history when a change is durable. */
export type ChangeListener = (version: number) => Promise<void>;

/** Runs transactions in order; `changed` is called for those that have recorded a change. */
export function createRecordedTransactions(db: Database, changed: ChangeListener) {
  return async <T>(work: (tx: Transaction, recorder: Recorder) => Promise<T>): Promise<T> => {
    let version: number | undefined;
    const recorded = (number: number | undefined) => {
      version = number ?? version;
    };
    const attempt = (tx: Transaction) => {
      version = undefined;
      return work(tx, { recorded, record: async (changes) => recorded(await recordChanges(tx, changes)) });
    };
    const outcome = await db.transaction(attempt, { inOrder: true });
    if (version !== undefined) await changed(version);
    return outcome;
  };
}

/**
 * Needs an `inOrder` transaction: numbers have no gaps, and none becomes visible before a lower one. A sequence would leave
 * gaps after a rollback. Resolves to the newest number, or to undefined without changes.
 */
export async function recordChanges(tx: Transaction, changes: NewChange[]): Promise<number | undefined> {
  if (changes.length === 0) return undefined;
  const [, newest] = await awaitAll([tx.runRows(RECORD, changes.map(valuesOf)), readNewestNumber(tx)]);
  return newest;
}

/** 0 for an empty history. */
export async function readNewestNumber(db: Queries): Promise<number> {
  return Number((await db.first(`SELECT ${NEWEST_NUMBER} AS number`))?.number);
}

function valuesOf(change: NewChange): SqlValue[] {
  const { type, petId, orderId = null, from, to, atMs, keyId = null } = change;
  const { categoryId = null, shelterId = null } = change;
  const states = [from, to].map((state) => (state === undefined ? null : toStateText(state)));
  return [type, petId, orderId, ...states, atMs, keyId, categoryId, shelterId];
}

/** A key of a shelter sees changes of orders only while the animal belongs to this shelter. */
export async function listChanges(
  db: Queries,
  petId: bigint,
  { limit, after = 0n, keyShelterId }: Page & { keyShelterId?: bigint | undefined },
): Promise<Change[]> {
  const isOwn = "EXISTS (SELECT 1 FROM pets WHERE id = $1 AND shelter_id = $4)";
  const visible = keyShelterId === undefined ? "" : `AND (what NOT LIKE 'order.%' OR ${isOwn})`;
  const columns = `${COLUMNS}, ${personOfKey("key_id")}`;
  const sql = `SELECT ${columns} FROM history WHERE ${OF_PET} AND number > $2 ${visible} ORDER BY number LIMIT $3`;
  const values = [petId, after, limit, ...(keyShelterId === undefined ? [] : [keyShelterId])];
  return (await db.all(sql, values)).map((row) => ({ ...toChange(row), person: toPersonName(row) }));
}

/** Identifiers as text: JSON has no exact int64. */
export function toStateText(state: ChangedState): string {
  const { categoryId, photos, shelter } = state;
  return JSON.stringify({
    ...state,
    ...(categoryId !== undefined && { categoryId: String(categoryId) }),
    ...(photos !== undefined && { photos: markPaths(photos) }),
    ...(shelter !== undefined && { shelter: { ...shelter, id: String(shelter.id) } }),
  });
}

function toState(text: SqlValue | undefined): ChangedState | undefined {
  if (typeof text !== "string") return undefined;
  // The order of the members is the order in an event's `previous`.
  const { categoryId, ...state } = JSON.parse(text);
  if (state.photos !== undefined) state.photos = unmarkPaths(state.photos);
  if (state.shelter !== undefined) state.shelter.id = BigInt(state.shelter.id);
  return categoryId === undefined ? state : { ...state, categoryId: BigInt(categoryId) };
}

export function toChange(row: Row): Change {
  const { what: type, ...change } = toObject<Change & { what: ChangeKind }>(row, CHANGE_COLUMNS);
  return { ...change, type, from: toState(row.state_before), to: toState(row.state_after) };
}
