// Looks at one server on a connection of its own: whether it takes writes, and how much of the changes it has.

import pg from "pg";
import { nameServer } from "../../tools/postgres-url.ts";
import { NEWEST_NUMBER } from "../stores/animals/history.ts";
import { destroy, INSTANCE } from "./pool.ts";

/** For a connection, and for each answer. */
const ANSWER_MS = 1_000;

/** A standby's position is what it has received, replayed or not. The name of a WAL file begins with the timeline. */
const LOOK = `SELECT ${INSTANCE},
    pg_is_in_recovery() AS is_recovering,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is_standby,
    CASE WHEN pg_is_in_recovery() THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
      ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn AS position,
    CASE WHEN NOT pg_is_in_recovery()
      THEN ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END AS timeline,
    extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) AS replayed_seconds_ago`;

interface Primary {
  role: "primary";
  instance: string;
  /** Increases when a standby is promoted. */
  timeline: number;
  /** In bytes of WAL. */
  position: number;
}

export interface Standby {
  role: "standby";
  position: number | undefined;
  /** Since the commit of the newest transaction that it has replayed. */
  replayedSecondsAgo: number | undefined;
}

interface Unreachable {
  role: "unreachable";
  reason: string;
}

export type ServerState = Primary | Standby | Unreachable;

export interface ServerLook {
  /** HOST:PORT */
  readonly name: string;
  readonly url: string;
  /** Never rejects. */
  look(): Promise<ServerState>;
  /** The newest number of the history; -1 if it cannot be read. */
  readNewest(): Promise<number>;
  /** The run of the server that last began to take writes in this history; undefined if it cannot be read. */
  readLastPrimary(): Promise<string | undefined>;
  /** Closes the connection; the next look opens another. */
  disconnect(): void;
}

export function openLook(url: string): ServerLook {
  const connections = createSingleConnection(url);

  async function ask(sql: string): Promise<Record<string, unknown>> {
    const { rows } = await (await connections.get()).query(sql);
    return rows[0];
  }

  return {
    name: nameServer(url),
    url,
    async look() {
      try {
        const row = await ask(LOOK);
        // The setting of a role or database takes effect with the next session.
        if (row.is_standby && !row.is_recovering) connections.drop();
        return stateOf(row);
      } catch (error) {
        connections.drop();
        return { role: "unreachable", reason: reasonOf(error as Error) };
      }
    },
    readNewest: () =>
      ask(`SELECT ${NEWEST_NUMBER} AS number`).then(
        ({ number }) => Number(number),
        () => -1,
      ),
    readLastPrimary: () =>
      ask("SELECT server FROM store").then(
        ({ server }) => (server === null ? undefined : String(server)),
        () => undefined,
      ),
    disconnect: connections.drop,
  };
}

/** Stays open, so that a look costs the server one short query. */
function createSingleConnection(url: string) {
  let opening: Promise<pg.Client> | undefined;
  let client: pg.Client | undefined;

  async function open(): Promise<pg.Client> {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      application_name: "animal-store watch",
      keepAlive: true,
    });
    // The next query is rejected.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  return {
    get: () => (opening ??= open()),
    /** Also while it is being opened. */
    drop(): void {
      if (client !== undefined) destroy(client);
      client = undefined;
      opening = undefined;
    },
  };
}

function stateOf(row: Record<string, unknown>): ServerState {
  const { instance, is_standby, position, timeline, replayed_seconds_ago } = row;
  const toNumber = (value: unknown) => (value === null ? undefined : Number(value));
  if (!is_standby)
    return {
      role: "primary",
      instance: String(instance),
      timeline: Number(timeline),
      position: Number(position),
    };
  return {
    role: "standby",
    position: toNumber(position),
    replayedSecondsAgo: toNumber(replayed_seconds_ago),
  };
}

/** Node gives no message if a host has several addresses and all refuse. */
function reasonOf(error: Error & { code?: string }): string {
  return error.message || error.code || "no answer";
}
