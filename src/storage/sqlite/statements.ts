// Prepared statements of one SQLite connection.

import type SqliteConnection from "better-sqlite3";
import type { Row, SqlValue } from "../database.ts";
import { asServiceError } from "./faults.ts";

export interface Statements {
  all(sql: string, values?: SqlValue[]): Row[];
  first(sql: string, values?: SqlValue[]): Row | undefined;
  run(sql: string, values?: SqlValue[]): number;
}

interface Prepared {
  statement: SqliteConnection.Statement<SqlValue[], Row>;
  /** The index of the value for each placeholder. */
  order: number[];
  /** Whether the values are used once and in order, as in most statements. */
  isPlain: boolean;
}

const REMEMBERED_MAX = 2_000;
const PLACEHOLDER = /\$(\d+)/g;
/** SQLite plans a statement with a bound LIMIT again on every call (19 of 43 µs); an expression avoids that. */
const BOUND_LIMIT = /\bLIMIT (?=\$)/g;

export function createStatements(connection: SqliteConnection.Database): Statements {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    // The driver binds by position only: $2 … $2 becomes ? … ? with the same value twice.
    const order = [...sql.matchAll(PLACEHOLDER)].map(([, number]) => Number(number) - 1);
    const text = sql.replaceAll(BOUND_LIMIT, "LIMIT +").replaceAll(PLACEHOLDER, "?");
    const statement = connection.prepare<SqlValue[], Row>(text);
    const isPlain = order.every((position, index) => position === index);
    const fresh = { statement, order, isPlain };
    // Long statements insert many rows at once and are not reused.
    if (sql.length < REMEMBERED_MAX) prepared.set(sql, fresh);
    return fresh;
  }

  function query<T>(
    sql: string,
    values: SqlValue[],
    ask: (statement: Prepared["statement"], bound: SqlValue[]) => T,
  ): T {
    try {
      const { statement, order, isPlain } = prepare(sql);
      if (isPlain && order.length === values.length) return ask(statement, values);
      return ask(
        statement,
        order.map((position) => values[position] as SqlValue),
      );
    } catch (error) {
      throw asServiceError(error);
    }
  }

  return {
    all: (sql, values = []) => query(sql, values, (statement, bound) => statement.all(...bound)),
    first: (sql, values = []) => query(sql, values, (statement, bound) => statement.get(...bound)),
    run: (sql, values = []) => query(sql, values, (statement, bound) => statement.run(...bound).changes),
  };
}
