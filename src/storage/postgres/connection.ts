// One borrowed connection, and when it must not be used again.

import { performance } from "node:perf_hooks";
import type pg from "pg";
import type { ServerClock } from "../../tools/server-clock.ts";
import type { SqlValue, Statement } from "../database.ts";
import { isBroken } from "./faults.ts";
import type { Result, ServerPool } from "./pool.ts";

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

export interface LentConnection extends Connection {
  /** The error after which the client must not be used again. */
  fault: Error | undefined;
}

/** Until `endMs` of `performance.now()`. */
export function connectionOn(client: pg.PoolClient, endMs: number, pool: ServerPool): LentConnection {
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
  const connection: LentConnection = {
    fault: undefined,
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
