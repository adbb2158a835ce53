// The pool of connections to PostgreSQL, directly or through a pooler such as PgBouncer in transaction mode.

import { performance } from "node:perf_hooks";
import pg from "pg";
import { createServerClock, type ServerClock } from "../../tools/server-clock.ts";
import type { Row, SqlValue, Statement } from "../database.ts";
import type { GroupObserver } from "../group-queue.ts";
import { isBroken, unavailable } from "./faults.ts";

/** Shares of the deadline, together less than 1: for a new connection, and for its first query. */
const CONNECT_SHARE = 2 / 3;
const PREPARE_SHARE = 0.27;
const IDLE_MS = 30_000;
/**
 * A connection with more prepared statements is closed after its use, because each of them takes memory of the server. Requests
 * in many forms thus cost a new connection now and then; they cannot keep the requests of other keys from being prepared.
 */
const PREPARED_MAX = 300;

const INT8_OID = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text") =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export type Result = pg.QueryResult<Row>;

/** SQLSTATEs of a session that lacks a prepared statement, or has it from another client. */
const NAME_FAULTS = ["26000", "42P05"];

/** A column with the time of the server. */
export const CLOCK = "extract(epoch FROM clock_timestamp()) * 1000 AS server_ms";

export function serverMsOf(result: Result | undefined): number {
  return Number(result?.rows[0]?.server_ms);
}

export interface Connection {
  /** Sends the statement without waiting for the replies to earlier ones. The server runs them in this order. */
  ask(sql: string, values?: SqlValue[]): Promise<Result>;
  /** The same for many rows of values. A direct connection parses and plans the statement once. */
  askBatch(statement: Statement, rows: SqlValue[][]): Promise<Result>;
  /** True if each transaction may use another session of the server. */
  readonly isPooled: boolean;
  /** The clock of the server. */
  readonly clock: ServerClock;
}

export interface Connections {
  /** Lends a connection until `endMs` of `performance.now()`. One that may still be busy, or whose state is unknown, is destroyed. */
  lend<T>(endMs: number, work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface PostgresOptions {
  poolSize: number;
  /** Limits a read or transaction, including the wait for a connection. The server ends a read whose caller has given up. */
  deadlineMs: number;
  /** Called with the size of each group of writes that shared a commit. */
  onCommit: GroupObserver;
  /** Called when an idle connection breaks. */
  onIdleError: (error: Error) => void;
}

/** Knowledge about the server that all connections share. */
interface Server {
  /** Clients that a pooler has connected. */
  pooled: WeakSet<pg.ClientBase>;
  /** The names of the statements that each client has prepared. */
  prepared: WeakMap<pg.ClientBase, Set<string>>;
  /** Whether any statement has failed because of a pooler that was not recognised. */
  hasPooler: boolean;
  clock: ServerClock;
}

export function openConnections(url: string, options: Omit<PostgresOptions, "onCommit">): Connections {
  const { poolSize, deadlineMs, onIdleError } = options;
  const server: Server = {
    pooled: new WeakSet(),
    prepared: new WeakMap(),
    hasPooler: false,
    clock: createServerClock(),
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_SHARE * deadlineMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: "animal-store",
    pipeline: true,
    types,
    onConnect: (client) => prepareClient(client, deadlineMs, server),
  });
  pool.on("error", onIdleError);

  return {
    async lend(endMs, work) {
      const client = await pool.connect().catch((cause) => {
        // Any failure to connect, a refused certificate included, happens before the first statement.
        throw unavailable(cause);
      });
      const connection = connectionOn(client, endMs, server);
      try {
        return await work(connection);
      } finally {
        // "I" is idle. In an open or failed transaction, the next user would be part of it.
        const isSpent = client.getTransactionStatus() !== "I" || connection.prepared.size > PREPARED_MAX;
        client.release(connection.fault ?? isSpent);
      }
    },
    close: () => pool.end(),
  };
}

/** Settings of a session would leak through a pooler to other programs, so only a direct connection gets them. */
async function prepareClient(client: pg.ClientBase, readMs: number, server: Server): Promise<void> {
  // A connection that breaks in use rejects its query and also emits "error". Without a listener, that would end the process.
  client.on("error", () => {});
  server.prepared.set(client, new Set());
  // A pooler sends its clients another number than the id of the server's process.
  const { processID } = client as pg.Client & { processID: number };
  const settings = [`set_config('statement_timeout', '${readMs}', false)`, "set_config('jit', 'off', false)"];
  const text = `SELECT is_direct, ${CLOCK}, CASE WHEN is_direct THEN ${settings.join(" || ")} END
    FROM (SELECT pg_backend_pid() = ${processID} AS is_direct) AS found`;
  const result = await client.query({ text, query_timeout: PREPARE_SHARE * readMs } as pg.QueryConfig);
  if (!result.rows[0].is_direct) server.pooled.add(client);
  server.clock.note(serverMsOf(result), performance.now());
}

/** `fault` is the error after which the client must not be used again. */
function connectionOn(
  client: pg.PoolClient,
  endMs: number,
  server: Server,
): Connection & { fault: Error | undefined; prepared: Set<string> } {
  const prepared = server.prepared.get(client) ?? new Set();
  const isPooled = server.hasPooler || server.pooled.has(client);
  const send = async (config: pg.QueryConfig): Promise<Result> => {
    const left = Math.max(1, Math.ceil(endMs - performance.now()));
    try {
      return await client.query({ ...config, query_timeout: left } as pg.QueryConfig);
    } catch (error) {
      const isNameFault = NAME_FAULTS.includes((error as pg.DatabaseError).code ?? "");
      // From now on, no statement gets a name.
      if (isNameFault) server.hasPooler = true;
      if (isNameFault || isBroken(error)) connection.fault = error as Error;
      throw error;
    }
  };
  const connection: ReturnType<typeof connectionOn> = {
    fault: undefined,
    prepared,
    isPooled,
    clock: server.clock,
    ask: (text, values = []) => send({ text, values }),
    askBatch({ name, many: text, toJson }, rows) {
      const values = [toJson(rows)];
      // Another session of the server would not know the name.
      if (isPooled) return send({ text, values });
      prepared.add(name);
      return send({ name, text, values });
    },
  };
  return connection;
}
