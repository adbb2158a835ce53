// PostgreSQL as a Database: a deadline for every wait, and only what works behind PgBouncer in transaction mode.

import { performance } from "node:perf_hooks";
import { DAY_MS } from "../../domain/basics/durations.ts";
import { createSemaphore } from "../../tools/fair-queue.ts";
import { createBatch } from "../../tools/per-tick.ts";
import type {
  Database,
  Queries,
  Row,
  SqlValue,
  Statement,
  Transaction,
  TransactionOptions,
} from "../database.ts";
import type { GroupObserver } from "../group-queue.ts";
import { type Connection, openConnections } from "./connections.ts";
import { asServiceError, isRepeatable, isUnavailable, unavailable } from "./faults.ts";
import { createGroupWriter } from "./group-writer.ts";
import { requireRights } from "./rights.ts";
import { askBatch, NO_JIT, READ_COMMITTED, runTransaction, timeoutsOf, type Work } from "./transactions.ts";

/** Limits a read or transaction, including the wait for a connection. A request does two: key look-up and work. */
const DEADLINE_MS = 1_450;
/** The reader of an export may be slow. */
const SNAPSHOT_MS = DAY_MS;

/** The share of the pool that transactions may use. */
const WRITERS_SHARE = 0.7;
/** More callers in one statement would delay the first. */
const BATCH_MAX = 256;

export interface PostgresOptions {
  poolSize: number;
  deadlineMs?: number;
  /** Called with the size of each group of writes that shared a commit. */
  onCommit?: GroupObserver;
  /** Called when an idle connection breaks. */
  onIdleError?: (error: Error) => void;
}

export function openPostgres(url: string, options: PostgresOptions): Database {
  const { poolSize, deadlineMs = DEADLINE_MS, onCommit = () => {}, onIdleError = () => {} } = options;
  const connections = openConnections(url, { poolSize, readMs: deadlineMs, onIdleError });
  let canWrite = true;
  const groups = createGroupWriter(connections, {
    deadlineMs,
    onCommit(size) {
      canWrite = true;
      onCommit(size);
    },
    onFault: noteFault,
  });
  // Waiting writes hold a connection each, so some connections are reserved for reads.
  const runWriter = createSemaphore(Math.max(1, Math.ceil(poolSize * WRITERS_SHARE)), unavailable);

  function noteFault(error: unknown): void {
    if (isUnavailable(error)) canWrite = false;
  }

  function read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const endMs = performance.now() + deadlineMs;
    return connections.lend(endMs, (connection) => readOn(connection, deadlineMs, work)).catch(rethrow);
  }

  const query = (sql: string, values?: SqlValue[]) =>
    read(async (connection) => (await connection.ask(sql, values)).rows);

  const batched = createBatchedReads((statement, callers) =>
    read((connection) => askBatch(connection, statement, callers)),
  );

  async function transactAlone<T>(work: Work<T>, withinMs: number): Promise<T> {
    const endMs = performance.now() + withinMs;
    const begin = [READ_COMMITTED, ...timeoutsOf(withinMs, withinMs * 2)];
    const attempt = () =>
      connections.lend(endMs, (connection) => runTransaction(connection, work, { begin, endMs }));
    try {
      const value = await runWriter(endMs, () =>
        attempt().catch((error) => {
          // The server rolled back because of a conflict with another transaction: one retry before the deadline.
          if (!isRepeatable(error) || performance.now() > endMs) throw error;
          return attempt();
        }),
      );
      canWrite = true;
      return value;
    } catch (error) {
      if (error instanceof RollBack) canWrite = true;
      else noteFault(error);
      throw asServiceError(error);
    }
  }

  const transaction = <T>(work: Work<T>, options: TransactionOptions = {}): Promise<T> => {
    const { inOrder = false, claim, deadlineMs: withinMs = deadlineMs } = options;
    const isGrouped = inOrder || claim !== undefined;
    return isGrouped ? groups.write(work, claim) : transactAlone(work, withinMs);
  };

  async function snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const endMs = performance.now() + SNAPSHOT_MS;
    const begin = [
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      ...timeoutsOf(SNAPSHOT_MS, SNAPSHOT_MS),
    ];
    return connections
      .lend(endMs, (connection) => runTransaction(connection, work, { begin, endMs }))
      .catch(rethrow);
  }

  return {
    engine: "postgres",
    all: query,
    first: async (sql, values) => (await query(sql, values))[0],
    batched,
    transaction,
    snapshot,
    async ping() {
      const [row] = await query("SHOW transaction_read_only");
      // For example after a failover to a server that is still a replica.
      if (row?.transaction_read_only !== "off") throw unavailable();
    },
    canWrite: () => canWrite,
    testWrite: () => testWrite(transaction, Math.max(deadlineMs, TEST_DEADLINE_MS)),
    async close() {
      await groups.drained();
      await connections.close();
    },
  };
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
  const batches = new Map<Statement, (values: SqlValue[]) => Promise<Row | undefined>>();
  return (statement, values) => {
    let ask = batches.get(statement);
    if (ask === undefined) {
      ask = createBatch(BATCH_MAX, (callers: SqlValue[][]) => askAll(statement, callers));
      batches.set(statement, ask);
    }
    return ask(values);
  };
}

/** Nodes that test at the same time do not wait for each other. */
const TEST_WRITE = `UPDATE schema_migrations SET applied_at_ms = applied_at_ms
  WHERE version IN (SELECT version FROM schema_migrations WHERE version = 1 FOR UPDATE SKIP LOCKED)`;

/** Many nodes may start at the same time. */
const TEST_DEADLINE_MS = 5_000;

class RollBack extends Error {}

/** A write that is rolled back; on the other tables, only the rights are checked. */
async function testWrite(transaction: Database["transaction"], deadlineMs: number): Promise<void> {
  const work = async (tx: Transaction) => {
    await tx.run(TEST_WRITE);
    await requireRights(tx);
    throw new RollBack();
  };
  await transaction(work, { deadlineMs }).catch((error) => {
    if (!(error instanceof RollBack)) throw error;
  });
}

function rethrow(error: unknown): never {
  throw asServiceError(error);
}
