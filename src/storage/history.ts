// The history of changes in SQL, written in the transaction of the change itself.

import type { Change, ChangedState, ChangeKind } from "../domain/history.ts";
import type { Page } from "../domain/page.ts";
import type { Queries, Row, SqlValue, Transaction } from "./database.ts";
import { toJsonRows, toNumber, toOptional } from "./row.ts";

const COLUMNS = "number, what, pet_id, order_id, state_before, state_after, at_ms, key_id";
/** Statements for few rows are remembered by their text. For many, one text takes all of them: 11 µs a row instead of 37. */
const FEW = 10;
const NEWEST = "(SELECT coalesce(max(number), 0) FROM history)";
const ADD_MANY = `INSERT INTO history (${COLUMNS})
  SELECT ${NEWEST} + CAST(key AS BIGINT) + 1, value ->> 0, CAST(value ->> 1 AS BIGINT), CAST(value ->> 2 AS BIGINT),
    value ->> 3, value ->> 4, CAST(value ->> 5 AS BIGINT), CAST(value ->> 6 AS BIGINT) FROM json_each($1)`;

export type NewChange = Omit<Change, "number">;

/**
 * For transactions that are done in order: numbers then follow each other without a gap, and none becomes visible before
 * a lower one. A sequence would leave gaps behind where a transaction is undone.
 */
export async function recordChanges(tx: Transaction, changes: NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(valuesOf);
  if (rows.length > FEW) {
    await tx.run(ADD_MANY, [toJsonRows(rows)]);
    return;
  }
  let place = 0;
  const places = rows.map((row, index) => {
    const number = `${NEWEST} + ${index + 1}`;
    return `(${[number, ...row.map(() => `$${++place}`)].join(", ")})`;
  });
  await tx.run(`INSERT INTO history (${COLUMNS}) VALUES ${places.join(", ")}`, rows.flat());
}

function valuesOf({ what, petId, orderId, from, to, atMs, keyId }: NewChange): SqlValue[] {
  return [what, petId, orderId ?? null, toText(from), toText(to), atMs, keyId ?? null];
}

export async function listChanges(
  db: Queries,
  petId: bigint,
  { limit, after = 0n }: Page,
): Promise<Change[]> {
  const sql = `SELECT ${COLUMNS} FROM history WHERE pet_id = $1 AND number > $2 ORDER BY number LIMIT $3`;
  return (await db.all(sql, [petId, after, limit])).map(toChange);
}

/** Identifiers as text: JSON has no exact int64. */
function toText(state: ChangedState | undefined): SqlValue {
  if (state === undefined) return null;
  return JSON.stringify(state, (_name, value) => (typeof value === "bigint" ? String(value) : value));
}

function toState(text: SqlValue | undefined): ChangedState | undefined {
  if (typeof text !== "string") return undefined;
  const { categoryId, ...state } = JSON.parse(text);
  return categoryId === undefined ? state : { ...state, categoryId: BigInt(categoryId) };
}

function toChange(row: Row): Change {
  return {
    number: row.number as bigint,
    what: row.what as ChangeKind,
    petId: row.pet_id as bigint,
    orderId: toOptional<bigint>(row.order_id),
    from: toState(row.state_before),
    to: toState(row.state_after),
    atMs: toNumber(row.at_ms),
    keyId: toOptional<bigint>(row.key_id),
  };
}
