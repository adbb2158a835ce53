// Reads on PostgreSQL: alone, as one statement for all callers of an event-loop tick, or in a snapshot.

import { performance } from "node:perf_hooks";
import { DAY_MS } from "../../domain/basics/durations.ts";
import { createBatch } from "../../tools/per-tick.ts";
import type { Queries, Row, SqlValue, Statement } from "../database.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { asServiceError } from "./faults.ts";
import { askBatch, NO_JIT, runTransaction, timeoutsOf } from "./transactions.ts";

/** The reader of an export may be slow. */
const SNAPSHOT_MS = DAY_MS;
const BEGIN_SNAPSHOT = [
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  ...timeoutsOf(SNAPSHOT_MS, SNAPSHOT_MS),
];
/** More callers in one statement would delay the first. */
const BATCH_MAX = 256;

export function createReads(connections: Connections, deadlineMs: number): Queries {
  function read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const endMs = performance.now() + deadlineMs;
    return connections.lend(endMs, (connection) => readOn(connection, deadlineMs, work)).catch(rethrow);
  }

  const all = (sql: string, values?: SqlValue[]) =>
    read(async (connection) => (await connection.ask(sql, values)).rows);

  return {
    engine: "postgres",
    all,
    first: async (sql, values) => (await all(sql, values))[0],
    batched: createBatchedReads((statement, callers) =>
      read((connection) => askBatch(connection, statement, callers)),
    ),
  };
}

export function readSnapshot<T>(
  connections: Connections,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const endMs = performance.now() + SNAPSHOT_MS;
  return connections
    .lend(endMs, (connection) => runTransaction(connection, work, { begin: BEGIN_SNAPSHOT, endMs }))
    .catch(rethrow);
}

/** The server must end a read whose caller has given up. A direct connection has this setting; a pooler needs it each time. */
async function readOn<T>(
  connection: Connection,
  deadlineMs: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  if (!connection.isPooled) return work(connection);
  const begun = connection.ask(`BEGIN; SET LOCAL statement_timeout = ${deadlineMs}; ${NO_JIT}`);
  const found = work(connection);
  const ended = connection.ask("COMMIT");
  await Promise.allSettled([begun, found, ended]);
  await begun;
  return found;
}

type AskAll = (statement: Statement, callers: SqlValue[][]) => Promise<Array<Row | undefined>>;

/** Reads of one event-loop tick become one query for each statement. */
function createBatchedReads(askAll: AskAll): Queries["batched"] {
  // Weak, because the forms of named queries come and go.
  const batches = new WeakMap<Statement, (values: SqlValue[]) => Promise<Row | undefined>>();
  return (statement, values) => {
    let ask = batches.get(statement);
    if (ask === undefined) {
      ask = createBatch(BATCH_MAX, (callers: SqlValue[][]) => askAll(statement, callers));
      batches.set(statement, ask);
    }
    return ask(values);
  };
}

function rethrow(error: unknown): never {
  throw asServiceError(error);
}
