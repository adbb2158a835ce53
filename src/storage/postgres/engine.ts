// PostgreSQL behind the small Database interface: one pool, every wait bounded, nothing that PgBouncer cannot pass on.

import { performance } from "node:perf_hooks";
import pg from "pg";
import { ServiceError } from "../../domain/errors.ts";
import { createTurnstile } from "../../tools/turnstile.ts";
import type { Database, Queries, Row, SqlValue, Transaction, TransactionOptions } from "../database.ts";
import { asServiceError, isBroken, isRepeatable } from "./faults.ts";
import { requireRights } from "./rights.ts";

/** The whole of a read or a transaction, waiting for a connection included. A request has two: its key, and its work. */
const DEADLINE_MS = 1_450;
const CONNECT_MS = 1_000;
const IDLE_MS = 30_000;
/** For an export: whoever reads it may take their time. */
const SNAPSHOT_MS = 24 * 3_600_000;
/** The advisory lock that transactions in order queue at. */
const ORDER_LOCK = 7_305_001;

/** How much of the pool transactions may have. */
const WRITERS_SHARE = 0.7;

const INT8_OID = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text") =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export interface PostgresOptions {
  poolSize: number;
  /** Told of connections that break while nobody uses them. */
  onIdleError?: (error: Error) => void;
}

export function openPostgres(url: string, { poolSize, onIdleError = () => {} }: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: "animal-store",
    types,
  });
  pool.on("error", onIdleError);
  // A connection that breaks in use tells its query, and then everybody: without a listener that would end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // For reads, which have no transaction of their own to set it in: what nobody waits for any more must end by itself.
    client.query(`SET statement_timeout = ${DEADLINE_MS}`).catch(() => {});
  });
  let canWrite = true;
  // Writes that wait for their turn hold a connection each: some are left to reads.
  const writers = createTurnstile(
    Math.max(1, Math.ceil(poolSize * WRITERS_SHARE)),
    () => new ServiceError("unavailable", { retryAfterSeconds: 1 }),
  );

  async function query(sql: string, values?: SqlValue[]): Promise<Row[]> {
    const endMs = performance.now() + DEADLINE_MS;
    return withClient(endMs, async (ask) => (await ask(sql, values)).rows);
  }

  /** Lends a connection. One that may still be busy, or whose state is unknown, is thrown away. */
  async function withClient<T>(endMs: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((cause) => {
      // Whatever keeps us from the server, a refused certificate included, nothing has been asked of it yet.
      throw new ServiceError("unavailable", { retryAfterSeconds: 1, cause });
    });
    let broken: Error | undefined;
    const ask: Ask = async (text, values) => {
      const left = Math.max(1, Math.ceil(endMs - performance.now()));
      try {
        return await client.query({ text, values, query_timeout: left } as pg.QueryConfig);
      } catch (error) {
        if (isBroken(error)) broken = error as Error;
        throw error;
      }
    };
    try {
      return await work(ask);
    } finally {
      client.release(broken);
    }
  }

  async function attempt<T>(work: Work<T>, endMs: number, begin: string): Promise<T> {
    return withClient(endMs, async (ask) => {
      try {
        await beginTransaction(ask, begin);
        const value = await work(transactionOf(ask));
        await commit(ask, endMs);
        return value;
      } catch (error) {
        // Should this fail too, the connection is thrown away, and the server undoes the work by itself.
        if (!isBroken(error)) await ask("ROLLBACK").catch(() => {});
        throw error;
      }
    });
  }

  async function transaction<T>(work: Work<T>, options: TransactionOptions = {}): Promise<T> {
    const { deadlineMs = DEADLINE_MS } = options;
    const endMs = performance.now() + deadlineMs;
    const begin = beginOf({ ...options, deadlineMs });
    try {
      const value = await writers.pass(endMs, () =>
        attempt(work, endMs, begin).catch((error) => {
          // The server has undone it for the sake of another: once more, if there is time.
          if (!isRepeatable(error) || performance.now() > endMs) throw error;
          return attempt(work, endMs, begin);
        }),
      );
      canWrite = true;
      return value;
    } catch (error) {
      const fault = asServiceError(error);
      if (fault instanceof ServiceError && fault.code === "unavailable") canWrite = false;
      else if (fault instanceof UndoneError) canWrite = true;
      throw fault;
    }
  }

  async function snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const bounds = boundsOf(SNAPSHOT_MS);
    const begin = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ...bounds].join("; ");
    return attempt(work, performance.now() + SNAPSHOT_MS, begin).catch(rethrow);
  }

  return {
    engine: "postgres",
    all: (sql, values) => query(sql, values).catch(rethrow),
    first: async (sql, values) => (await query(sql, values).catch(rethrow))[0],
    transaction,
    snapshot,
    async ping() {
      const row = await query("SHOW transaction_read_only").catch(rethrow);
      // As after a failover to a server that is still a replica.
      if (row[0]?.transaction_read_only !== "off")
        throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
    },
    canWrite: () => canWrite,
    testWrite: () => testWrite(transaction),
    close: () => pool.end(),
  };
}

/** Nodes that test at once do not wait for each other. */
const TEST_WRITE = `UPDATE schema_migrations SET applied_at_ms = applied_at_ms
  WHERE version IN (SELECT version FROM schema_migrations WHERE version = 1 FOR UPDATE SKIP LOCKED)`;

/** At a start, many nodes may ask at once. */
const TEST_DEADLINE_MS = 5_000;

class UndoneError extends Error {}

/** A write that is undone; on the other tables, only the rights are checked. */
async function testWrite(transaction: Database["transaction"]): Promise<void> {
  const work = async (tx: Transaction) => {
    await tx.run(TEST_WRITE);
    await requireRights(tx);
    throw new UndoneError();
  };
  await transaction(work, { deadlineMs: TEST_DEADLINE_MS }).catch((error) => {
    if (!(error instanceof UndoneError)) throw error;
  });
}

type Work<T> = (tx: Transaction) => Promise<T>;
type Ask = (sql: string, values?: SqlValue[]) => Promise<pg.QueryResult<Row>>;

/**
 * One round trip. The server gets bounds of its own, for the case that this process does not live to end what it began;
 * they are set within the transaction because a pooler passes nothing else on.
 */
function beginOf({
  deadlineMs,
  inOrder = false,
  claim,
}: TransactionOptions & { deadlineMs: number }): string {
  const turn = inOrder ? `pg_advisory_xact_lock(${ORDER_LOCK})` : "1";
  // Whoever is refused the claim does not wait for a turn.
  const condition = claim === undefined ? "" : ` WHERE pg_try_advisory_xact_lock(${claim})`;
  const hasLocks = inOrder || claim !== undefined;
  // Whatever the server's default: who has waited for a turn must see what was done before.
  return [
    "BEGIN ISOLATION LEVEL READ COMMITTED",
    ...boundsOf(deadlineMs),
    ...(hasLocks ? [`SELECT ${turn}${condition}`] : []),
  ].join("; ");
}

function boundsOf(deadlineMs: number): string[] {
  return [
    `SET LOCAL statement_timeout = ${deadlineMs}`,
    `SET LOCAL lock_timeout = ${deadlineMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${deadlineMs * 2}`,
  ];
}

async function beginTransaction(ask: Ask, begin: string): Promise<void> {
  // The driver gives a result for each of several statements.
  const results = (await ask(begin)) as unknown as pg.QueryResult[];
  const last = results.at(-1);
  if (last?.command === "SELECT" && last.rowCount === 0) throw new ServiceError("idempotency_in_progress");
}

function transactionOf(ask: Ask): Transaction {
  return {
    all: async (sql, values) => (await ask(sql, values)).rows,
    first: async (sql, values) => (await ask(sql, values)).rows[0],
    lock: async (sql, values) => (await ask(`${sql} FOR UPDATE`, values)).rows[0],
    run: async (sql, values) => (await ask(sql, values)).rowCount ?? 0,
  };
}

/** Whatever ends a COMMIT without an answer leaves its outcome unknown: never repeated, never called done. */
async function commit(ask: Ask, endMs: number): Promise<void> {
  // Nobody waits for it any more: undone, it is what the answer says.
  if (performance.now() >= endMs) throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
  const { command } = await ask("COMMIT");
  if (command !== "COMMIT") throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
}

function rethrow(error: unknown): never {
  throw asServiceError(error);
}
