// PostgreSQL as a Database: one pool, a deadline for every wait, and only what works behind PgBouncer in transaction mode.

import { performance } from "node:perf_hooks";
import pg from "pg";
import { ServiceError } from "../../domain/errors.ts";
import { createTurnstile } from "../../tools/turnstile.ts";
import type { Database, Queries, Row, SqlValue, Transaction, TransactionOptions } from "../database.ts";
import { asServiceError, isBroken, isRepeatable, unavailable } from "./faults.ts";
import { requireRights } from "./rights.ts";

/** For a whole read or transaction, including the wait for a connection. A request does two: key look-up and work. */
const DEADLINE_MS = 1_450;
const CONNECT_MS = 1_000;
const IDLE_MS = 30_000;
/** For an export, whose reader may be slow. */
const SNAPSHOT_MS = 24 * 3_600_000;
/** Advisory lock that runs `inOrder` transactions one after another. */
const ORDER_LOCK = 7_305_001;

/** The share of the pool that transactions may use. */
const WRITERS_SHARE = 0.7;

const INT8_OID = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text") =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export interface PostgresOptions {
  poolSize: number;
  /** Called when an idle connection breaks. */
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
  // A connection that breaks in use rejects its query and also emits an error, which would end the process unheard.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    // For reads, which run outside a transaction: the server ends a query whose caller has given up.
    client.query(`SET statement_timeout = ${DEADLINE_MS}`).catch(() => {});
  });
  let canWrite = true;
  // Waiting writes hold a connection each, so some connections are reserved for reads.
  const runWriter = createTurnstile(Math.max(1, Math.ceil(poolSize * WRITERS_SHARE)), unavailable);

  async function query(sql: string, values?: SqlValue[]): Promise<Row[]> {
    const endMs = performance.now() + DEADLINE_MS;
    return withClient(endMs, async (ask) => (await ask(sql, values)).rows);
  }

  /** Lends a connection. One that may still be busy, or whose state is unknown, is destroyed. */
  async function withClient<T>(endMs: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((cause) => {
      // Any failure to connect, a refused certificate included, happens before the first statement.
      throw unavailable(cause);
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
        // If this fails too, the connection is destroyed and the server rolls back.
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
      const value = await runWriter(endMs, () =>
        attempt(work, endMs, begin).catch((error) => {
          // The server rolled back because of a conflict with another transaction: one retry before the deadline.
          if (!isRepeatable(error) || performance.now() > endMs) throw error;
          return attempt(work, endMs, begin);
        }),
      );
      canWrite = true;
      return value;
    } catch (error) {
      const fault = asServiceError(error);
      if (fault instanceof ServiceError && fault.code === "unavailable") canWrite = false;
      else if (fault instanceof RollBack) canWrite = true;
      throw fault;
    }
  }

  async function snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const timeouts = timeoutsOf(SNAPSHOT_MS);
    const begin = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ...timeouts].join("; ");
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
      // For example after a failover to a server that is still a replica.
      if (row[0]?.transaction_read_only !== "off") throw unavailable();
    },
    canWrite: () => canWrite,
    testWrite: () => testWrite(transaction),
    close: () => pool.end(),
  };
}

/** Nodes that test at the same time do not wait for each other. */
const TEST_WRITE = `UPDATE schema_migrations SET applied_at_ms = applied_at_ms
  WHERE version IN (SELECT version FROM schema_migrations WHERE version = 1 FOR UPDATE SKIP LOCKED)`;

/** Many nodes may start at the same time. */
const TEST_DEADLINE_MS = 5_000;

class RollBack extends Error {}

/** A write that is rolled back; on the other tables, only the rights are checked. */
async function testWrite(transaction: Database["transaction"]): Promise<void> {
  const work = async (tx: Transaction) => {
    await tx.run(TEST_WRITE);
    await requireRights(tx);
    throw new RollBack();
  };
  await transaction(work, { deadlineMs: TEST_DEADLINE_MS }).catch((error) => {
    if (!(error instanceof RollBack)) throw error;
  });
}

type Work<T> = (tx: Transaction) => Promise<T>;
type Ask = (sql: string, values?: SqlValue[]) => Promise<pg.QueryResult<Row>>;

/**
 * BEGIN with locks and time-outs in one round trip. The server enforces the time-outs even if this process dies; they are
 * set in the transaction because a pooler does not pass on session settings.
 */
function beginOf({
  deadlineMs,
  inOrder = false,
  claim,
}: TransactionOptions & { deadlineMs: number }): string {
  const orderLock = inOrder ? `pg_advisory_xact_lock(${ORDER_LOCK})` : "1";
  // A transaction that does not get the claim does not wait for the order lock.
  const condition = claim === undefined ? "" : ` WHERE pg_try_advisory_xact_lock(${claim})`;
  const hasLocks = inOrder || claim !== undefined;
  // Set explicitly: after the wait for the order lock, the transaction must see all earlier ones.
  return [
    "BEGIN ISOLATION LEVEL READ COMMITTED",
    ...timeoutsOf(deadlineMs),
    ...(hasLocks ? [`SELECT ${orderLock}${condition}`] : []),
  ].join("; ");
}

function timeoutsOf(deadlineMs: number): string[] {
  return [
    `SET LOCAL statement_timeout = ${deadlineMs}`,
    `SET LOCAL lock_timeout = ${deadlineMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${deadlineMs * 2}`,
  ];
}

async function beginTransaction(ask: Ask, begin: string): Promise<void> {
  // The driver returns one result per statement.
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

/** A COMMIT without a reply has an unknown outcome: it is neither repeated nor reported as done. */
async function commit(ask: Ask, endMs: number): Promise<void> {
  // The caller has been told that it failed, so it is rolled back.
  if (performance.now() >= endMs) throw unavailable();
  const { command } = await ask("COMMIT");
  if (command !== "COMMIT") throw unavailable();
}

function rethrow(error: unknown): never {
  throw asServiceError(error);
}
