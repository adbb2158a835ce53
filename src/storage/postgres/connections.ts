// Connections to PostgreSQL: lends those of the server that takes writes.

import { performance } from "node:perf_hooks";
import type pg from "pg";
import { splitServers } from "../../tools/postgres-url.ts";
import type { ServerClock } from "../../tools/server-clock.ts";
import type { SqlValue, Statement } from "../database.ts";
import type { DatabaseServer, ServerChange } from "../database-servers.ts";
import type { GroupObserver } from "../group-queue.ts";
import { isBroken, isReadOnly, unavailable } from "./faults.ts";
import { openPool, type PoolOptions, type Result, type ServerPool } from "./pool.ts";
import { findServers, usePool } from "./server-finder.ts";

/**
 * A connection with more prepared statements is closed after its use, because each of them takes memory of the server. Requests
 * in many forms thus cost a new connection now and then; they cannot keep the requests of other keys from being prepared.
 */
const PREPARED_MAX = 300;

/** SQLSTATEs of a session that lacks a prepared statement, or has it from another client. */
const NAME_FAULTS = ["26000", "42P05"];

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
  /** Empty for a single server. */
  servers(): DatabaseServer[];
  close(): Promise<void>;
}

export interface PostgresOptions extends PoolOptions {
  /** Called with the size of each group of writes that shared a commit. */
  onCommit: GroupObserver;
  onServerChange: (change: ServerChange) => void;
}

export function openConnections(url: string, options: Omit<PostgresOptions, "onCommit">): Connections {
  const urls = splitServers(url);
  const [single = ""] = urls;
  const source = urls.length === 1 ? usePool(openPool(single, options)) : findServers(urls, options);

  return {
    async lend(endMs, work) {
      const pool = source.current() ?? (await source.find(endMs));
      const client = await pool.connect().catch((cause) => {
        // Any failure to connect, a refused certificate included, happens before the first statement.
        throw unavailable(cause);
      });
      const connection = connectionOn(client, endMs, pool);
      try {
        return await work(connection);
      } finally {
        const { fault } = connection;
        // "I" is idle. In an open or failed transaction, the next user would be part of it.
        const isSpent = client.getTransactionStatus() !== "I" || connection.prepared.size > PREPARED_MAX;
        client.release(fault ?? isSpent);
        if (isReadOnly(fault)) source.leave(pool);
      }
    },
    servers: source.servers,
    close: source.close,
  };
}

/** `fault` is the error after which the client must not be used again. */
function connectionOn(
  client: pg.PoolClient,
  endMs: number,
  pool: ServerPool,
): Connection & { fault: Error | undefined; prepared: Set<string> } {
  const session = pool.sessionOf(client);
  const { prepared } = session;
  const isPooled = pool.hasPooler || session.isPooled;
  const send = async (config: pg.QueryConfig): Promise<Result> => {
    const left = Math.max(1, Math.ceil(endMs - performance.now()));
    try {
      return await client.query({ ...config, query_timeout: left } as pg.QueryConfig);
    } catch (error) {
      const isNameFault = NAME_FAULTS.includes((error as pg.DatabaseError).code ?? "");
      // From now on, no statement gets a name.
      if (isNameFault) pool.hasPooler = true;
      if (isNameFault || isBroken(error)) connection.fault = error as Error;
      throw error;
    }
  };
  const connection: ReturnType<typeof connectionOn> = {
    fault: undefined,
    prepared,
    isPooled,
    clock: pool.clock,
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
