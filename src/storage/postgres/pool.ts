// The pool of connections to one server, directly or through a pooler such as PgBouncer in transaction mode.

import { performance } from "node:perf_hooks";
import pg from "pg";
import { createServerClock, type ServerClock } from "../../tools/server-clock.ts";
import type { Row } from "../database.ts";

/** Shares of the deadline, together less than 1: for a new connection, and for its first query. */
const CONNECT_SHARE = 2 / 3;
const PREPARE_SHARE = 0.27;
const IDLE_MS = 30_000;

const INT8_OID = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text") =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export type Result = pg.QueryResult<Row>;

/** A column with the time of the server. */
export const CLOCK = "extract(epoch FROM clock_timestamp()) * 1000 AS server_ms";

/**
 * A column that identifies the server as long as it runs: the time of its start. A server has to start again to become a
 * standby, so what takes writes under one value is one history.
 */
export const INSTANCE = "extract(epoch FROM pg_postmaster_start_time())::text AS instance";

export function serverMsOf(result: Result | undefined): number {
  return Number(result?.rows[0]?.server_ms);
}

export interface PoolOptions {
  poolSize: number;
  /** Limits a read or transaction, including the wait for a connection. The server ends a read whose caller has given up. */
  deadlineMs: number;
  /** Called when an idle connection breaks. */
  onIdleError: (error: Error) => void;
}

/** What is known of a connection. */
export interface Session {
  /** Whether a pooler is in between. */
  isPooled: boolean;
  /** The names of the statements that were prepared on it. */
  prepared: Set<string>;
  /** See `INSTANCE`. Behind a pooler it may be replaced later. */
  instance: string;
  /** It is of a standby, or of a server that is set to be read-only. */
  isReadOnly: boolean;
}

export interface ServerPool {
  connect(): Promise<pg.PoolClient>;
  sessionOf(client: pg.ClientBase): Session;
  /** Whether any statement has failed because of a pooler that was not recognised. */
  hasPooler: boolean;
  readonly clock: ServerClock;
  /** The instances that may be used, because they were compared with what was recorded before. */
  examined: Set<string>;
  /** Waits for borrowed connections. */
  close(): Promise<void>;
  /** Closes all connections now: running statements fail. */
  drop(): void;
}

/** Connects only to `instance` if it is given. `onOther` is called when another one answers. */
export function openPool(
  url: string,
  { poolSize, deadlineMs, onIdleError }: PoolOptions,
  expected?: { instance: string; onOther: () => void },
): ServerPool {
  const sessions = new WeakMap<pg.ClientBase, Session>();
  const borrowed = new Set<pg.PoolClient>();
  const clock = createServerClock();

  async function prepare(client: pg.ClientBase): Promise<void> {
    const { serverMs, ...session } = await prepareClient(client, deadlineMs);
    const isOther = session.instance !== expected?.instance || session.isReadOnly;
    if (expected !== undefined && isOther) {
      expected.onOther();
      throw new Error(
        "connection closed: another server answers at this address, or it takes no writes any more",
      );
    }
    sessions.set(client, session);
    clock.note(serverMs, performance.now());
  }

  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_SHARE * deadlineMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: "animal-store",
    pipeline: true,
    types,
    onConnect: prepare,
  });
  pool.on("error", onIdleError);
  pool.on("acquire", (client) => borrowed.add(client));
  pool.on("release", (_error, client) => borrowed.delete(client));

  return {
    connect: () => pool.connect(),
    sessionOf: (client) => sessions.get(client) as Session,
    hasPooler: false,
    clock,
    examined: new Set(),
    close: () => pool.end(),
    drop() {
      void pool.end();
      for (const client of borrowed) destroy(client);
    },
  };
}

/** The driver has no method for it. Running statements are rejected at once. */
export function destroy(client: pg.ClientBase): void {
  (client as pg.Client & { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Settings of a session would leak through a pooler to other programs, so only a direct connection gets them. */
async function prepareClient(client: pg.ClientBase, readMs: number): Promise<Session & { serverMs: number }> {
  // A connection that breaks in use rejects its query and also emits "error". Without a listener, that would end the process.
  client.on("error", () => {});
  // A pooler sends its clients another number than the id of the server's process.
  const { processID } = client as pg.Client & { processID: number };
  const settings = [`set_config('statement_timeout', '${readMs}', false)`, "set_config('jit', 'off', false)"];
  const text = `SELECT is_direct, ${INSTANCE}, current_setting('transaction_read_only') = 'on' AS is_read_only, ${CLOCK}, CASE WHEN is_direct THEN ${settings.join(" || ")} END
    FROM (SELECT pg_backend_pid() = ${processID} AS is_direct) AS found`;
  const result = await client.query({ text, query_timeout: PREPARE_SHARE * readMs } as pg.QueryConfig);
  const { is_direct, instance, is_read_only } = result.rows[0];
  return {
    isPooled: !is_direct,
    prepared: new Set(),
    instance,
    isReadOnly: is_read_only,
    serverMs: serverMsOf(result),
  };
}
