// Queries on one SQLite connection, with their prepared statements.

import type SqliteConnection from "better-sqlite3";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { CommitWork, Row, SqlValue, Statement, Transaction } from "../database.ts";
import { asServiceError } from "./faults.ts";

/** Longer statements insert many rows at once and are not reused. */
const REMEMBERED_LENGTH_MAX = 4_000;
/** Filters of lists can be combined in thousands of ways, each with a statement of its own. */
const REMEMBERED_MAX = 500;
const PLACEHOLDER = /\$(\d+)/g;
/** SQLite plans a statement with a bound LIMIT again on every call (19 of 43 µs); an expression avoids that. */
const BOUND_LIMIT = /\bLIMIT (?=\$)/g;

type SqliteStatement = SqliteConnection.Statement<SqlValue[], Row>;

interface Prepared {
  statement: SqliteStatement;
  /** The index of the value for each placeholder. */
  order: number[];
}

interface QueryOptions {
  needsTransaction?: boolean;
  /** Filled by `atCommit`. */
  commitWorks?: AddedWork[];
}

export interface AddedWork {
  work: CommitWork;
  ids: bigint[];
}

/**
 * It has one transaction at a time, so `lock` only reads. After an error of the disk, by which SQLite ends the transaction,
 * a further statement would be a transaction of its own: it is refused.
 */
export function createQueries(
  connection: SqliteConnection.Database,
  { needsTransaction = true, commitWorks }: QueryOptions = {},
): Transaction {
  const query = createQuery(connection);

  /** Not called for each of many rows: that took 2.5 % of an import. */
  function requireTransaction(): void {
    if (needsTransaction && !connection.inTransaction) throw new Error("SQLite has ended the transaction");
  }

  const queryOnce: Query = (...asked) => {
    requireTransaction();
    return query(...asked);
  };

  const first: Transaction["first"] = async (sql, values = []) =>
    queryOnce(sql, values, (statement, bound) => statement.get(...bound));
  // A statement is so short that sharing it would gain nothing.
  const runOne = ({ one }: Statement, values: SqlValue[]) =>
    typeof one === "string" ? first(one, values) : one(queries, values);

  const queries: Transaction = {
    engine: "sqlite",
    all: async (sql, values = []) => queryOnce(sql, values, (statement, bound) => statement.all(...bound)),
    first,
    lock: first,
    run: async (sql, values = []) =>
      queryOnce(sql, values, (statement, bound) => statement.run(...bound).changes),
    // All rows as one JSON value cost more: SQLite would parse the long texts in it.
    async runRows({ one }, rows) {
      requireTransaction();
      for (const row of rows) query(one, row, (statement, bound) => statement.run(...bound));
    },
    // RETURNING would create a temporary table for every row.
    async addRows({ one }, rows) {
      requireTransaction();
      return rows.map((row) =>
        query(one, row, (statement, bound) => statement.run(...bound).lastInsertRowid as bigint),
      );
    },
    batched: runOne,
    finish: runOne,
    ...(commitWorks && { atCommit: (work, ids) => void commitWorks.push({ work, ids }) }),
  };
  return queries;
}

type Query = <T>(
  sql: string,
  values: SqlValue[],
  ask: (statement: SqliteStatement, bound: SqlValue[]) => T,
) => T;

function createQuery(connection: SqliteConnection.Database): Query {
  const prepared = createBoundedMap<string, Prepared>(REMEMBERED_MAX);

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    // The driver binds by position only: $2 … $2 becomes ? … ? with the same value twice.
    const order = [...sql.matchAll(PLACEHOLDER)].map(([, number]) => Number(number) - 1);
    const text = sql.replaceAll(BOUND_LIMIT, "LIMIT +").replaceAll(PLACEHOLDER, "?");
    const fresh = { statement: connection.prepare<SqlValue[], Row>(text), order };
    if (sql.length < REMEMBERED_LENGTH_MAX) prepared.set(sql, fresh);
    return fresh;
  }

  return (sql, values, ask) => {
    try {
      const { statement, order } = prepare(sql);
      const bound = order.map((position) => values[position] as SqlValue);
      return ask(statement, bound);
    } catch (error) {
      throw asServiceError(error);
    }
  };
}
