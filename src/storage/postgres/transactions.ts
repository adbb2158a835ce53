// Transactions on one connection: how they begin and end, and their statements.

import { performance } from "node:perf_hooks";
import type { Row, RowsStatement, SqlValue, Statement, Transaction, Work } from "../database.ts";
import type { Connection } from "./connection.ts";
import { unavailable } from "./faults.ts";
import type { Result } from "./pool.ts";

/** Advisory lock that runs `inOrder` transactions one after another. */
const ORDER_LOCK = 7_305_001;

/** Our statements are short, but look expensive to the planner: compiling a page of animals took 25 ms, running it 1 ms. */
export const NO_JIT = "SET LOCAL jit = off";

/** Set explicitly: after the wait for the order lock, a transaction must see all earlier ones. */
export const READ_COMMITTED = "BEGIN ISOLATION LEVEL READ COMMITTED";
export const LOCK_ORDER = `SELECT pg_advisory_xact_lock(${ORDER_LOCK})`;

/**
 * The server enforces these even if this process dies. Set in the transaction, because a pooler does not pass on settings
 * of a session. `idleMs` limits how long a process that freezes can hold its locks.
 */
export function timeoutsOf(deadlineMs: number, idleMs: number): string[] {
  return [
    NO_JIT,
    `SET LOCAL statement_timeout = ${deadlineMs}`,
    `SET LOCAL lock_timeout = ${deadlineMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
  ];
}

/** Runs one transaction. `begin` are its first statements. */
export async function runTransaction<T>(
  connection: Connection,
  work: Work<T>,
  { begin, endMs }: { begin: string[]; endMs: number },
): Promise<T> {
  try {
    await connection.ask(begin.join("; "));
    const value = await work(transactionOn(connection));
    // The caller has an error by now, so it is rolled back.
    if (performance.now() >= endMs) throw unavailable();
    requireCommitted(await connection.ask("COMMIT"));
    return value;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/** If this fails too, the connection is destroyed and the server rolls back. */
export async function rollBack(connection: Connection): Promise<void> {
  await connection.ask("ROLLBACK").catch(() => {});
}

/** The server replies ROLLBACK to the COMMIT of a transaction that has failed. */
export function requireCommitted(result: Result | undefined): void {
  if (result?.command !== "COMMIT") throw unavailable();
}

export function transactionOn(connection: Connection): Transaction {
  const runBatched = async (statement: Statement, values: SqlValue[]) =>
    (await askBatch(connection, statement, [values]))[0];
  const askRows = async (statement: RowsStatement, rows: SqlValue[][]) =>
    rows.length === 0 ? [] : (await connection.askBatch(statement, rows)).rows;
  return {
    engine: "postgres",
    all: async (sql, values) => (await connection.ask(sql, values)).rows,
    first: async (sql, values) => (await connection.ask(sql, values)).rows[0],
    lock: async (sql, values) => (await connection.ask(`${sql} FOR UPDATE`, values)).rows[0],
    run: async (sql, values) => (await connection.ask(sql, values)).rowCount ?? 0,
    runRows: async (statement, rows) => void (await askRows(statement, rows)),
    addRows: async (statement, rows) =>
      (await askRows(statement, rows)).map(({ id }) => id as bigint).sort((a, b) => (a < b ? -1 : 1)),
    batched: runBatched,
    finish: runBatched,
  };
}

/** One statement for all callers. Resolves to the row of each. */
export async function askBatch(
  connection: Connection,
  statement: Statement,
  callers: SqlValue[][],
): Promise<Array<Row | undefined>> {
  const { rows } = await connection.askBatch(statement, callers);
  const found = new Array<Row | undefined>(callers.length);
  for (const row of rows) found[Number(row.n) - 1] = row;
  return found;
}
