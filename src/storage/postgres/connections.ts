// Connections to PostgreSQL: lends connections to the server that takes writes.

import { performance } from "node:perf_hooks";
import type pg from "pg";
import { splitServers } from "../../tools/postgres-url.ts";
import type { DatabaseServer, ServerChange } from "../database-servers.ts";
import type { GroupObserver } from "../group-queue.ts";
import { type Connection, connectionOn, type LentConnection } from "./connection.ts";
import { createExamination } from "./examination.ts";
import { isReadOnly, unavailable } from "./faults.ts";
import type { ExamineServer, FoundServer } from "./lineage.ts";
import { openPool, type PoolOptions, type ServerPool } from "./pool.ts";
import { findServers, usePool } from "./server-finder.ts";
import { READ_COMMITTED, runTransaction, timeoutsOf } from "./transactions.ts";

/**
 * A connection with more prepared statements is closed after its use, because each of them takes memory of the server. Requests
 * in many forms thus cost a new connection now and then; they cannot keep the requests of other keys from being prepared.
 */
const PREPARED_MAX = 300;

export interface Connections {
  /** Lends a connection until `endMs` of `performance.now()`. One that may still be busy, or whose state is unknown, is destroyed. */
  lend<T>(endMs: number, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** From now on, calls `examine` for every newly found server before its connections are lent. */
  examineServers(examine: ExamineServer): Promise<void>;
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
  const examination = createExamination();

  /** May take longer than the caller has. */
  async function examineFirst(
    pool: ServerPool,
    client: pg.PoolClient,
    caller: LentConnection,
  ): Promise<void> {
    const { instance, isPooled } = pool.sessionOf(client);
    const withinMs = options.deadlineMs;
    const endMs = performance.now() + withinMs;
    const begin = [READ_COMMITTED, ...timeoutsOf(withinMs, withinMs)];
    const transact: FoundServer["transact"] = (work) =>
      runTransaction(connectionOn(client, endMs, pool), work, { begin, endMs });
    try {
      await examination.run(pool, { instance, isPooled, transact });
    } catch (cause) {
      caller.fault = cause as Error;
      throw unavailable(cause);
    }
  }

  const connections: Connections = {
    async lend(endMs, work) {
      const pool = source.current() ?? (await source.find(endMs));
      const client = await pool.connect().catch((cause) => {
        // Any failure to connect, a refused certificate included, happens before the first statement.
        throw unavailable(cause);
      });
      const session = pool.sessionOf(client);
      const connection = connectionOn(client, endMs, pool);
      try {
        if (!examination.isDone(pool, session)) await examineFirst(pool, client, connection);
        return await work(connection);
      } finally {
        const { fault } = connection;
        // "I" is idle. In an open or failed transaction, the next user would be part of it.
        const isBusy = client.getTransactionStatus() !== "I";
        // A standby that is promoted keeps its connections, and has to be examined then.
        const isSpent = isBusy || session.isReadOnly || session.prepared.size > PREPARED_MAX;
        client.release(fault ?? isSpent);
        if (isReadOnly(fault)) source.leave(pool);
      }
    },
    async examineServers(examine) {
      examination.begin(examine);
      source.current()?.examined.clear();
      await connections.lend(performance.now() + options.deadlineMs, async () => {});
    },
    servers: source.servers,
    close: source.close,
  };
  return connections;
}
