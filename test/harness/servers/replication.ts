// PostgreSQL servers with streaming replication: one primary, its standbys, and how one takes the place of another.

import { execFile } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { makePostgres, type PostgresServer, programOf, type User } from "./postgres.ts";

const run = promisify(execFile);

/** Enough WAL for a standby that was away for a while, and with the hints that pg_rewind needs. */
const SETTINGS = [
  "wal_keep_size = '256MB'",
  "max_wal_size = '256MB'",
  "wal_log_hints = on",
  // A standby whose primary was away tries again at once, not after 5 s.
  "wal_retrieve_retry_interval = '100ms'",
];

/** A server that may become a standby later. */
export async function startPrimary(t: TestContext): Promise<PostgresServer> {
  const { server, remove } = await makePostgres(SETTINGS);
  t.after(remove);
  return server;
}

/** Resolves when the standby of this primary is streaming. */
export async function startStandby(
  t: TestContext,
  primary: PostgresServer,
  settings: string[] = [],
): Promise<PostgresServer> {
  const { server, remove } = await makePostgres([...SETTINGS, ...settings], copyOf(primary));
  t.after(remove);
  await untilStreaming(primary);
  return server;
}

/** A server that was a primary becomes a standby of another. Changes that the other has not received are gone. */
export async function rejoin(server: PostgresServer, primary: PostgresServer): Promise<void> {
  // Until then, the other's files name the timeline of before its promotion.
  await primary.admin("CHECKPOINT");
  await server.changeData(rewindTo(primary));
  await untilStreaming(primary);
}

/** The same with a complete copy of the other's data, for a server that has nothing in common with it any more. */
export async function rebuild(server: PostgresServer, primary: PostgresServer): Promise<void> {
  await server.changeData(async (data, user) => {
    for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true });
    await copyOf(primary)(data, user);
  });
  await untilStreaming(primary);
}

function rewindTo({ port }: PostgresServer) {
  return async (data: string, user: User) => {
    const source = `host=127.0.0.1 port=${port} user=admin dbname=postgres`;
    const flags = ["-D", data, "-R", "--no-sync", "--source-server", source];
    await run(programOf("pg_rewind"), flags, user ?? {});
  };
}

function copyOf({ port }: PostgresServer) {
  return async (data: string, user: User) => {
    const address = ["-h", "127.0.0.1", "-p", String(port), "-U", "admin"];
    const flags = ["-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
    await run(programOf("pg_basebackup"), [...address, ...flags], user ?? {});
  };
}

export async function untilStreaming(primary: PostgresServer): Promise<void> {
  const sql =
    "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND application_name <> 'pg_basebackup'";
  while ((await primary.admin(sql)).rows.length === 0) await pause(20);
}

/** From the moment that this resolves, nothing is acknowledged that a standby has not written. */
export async function requireStandby(primary: PostgresServer): Promise<void> {
  await primary.admin("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.admin("SELECT pg_reload_conf()");
  const isDone = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= $POSITION";
  while ((await primary.admin("SHOW synchronous_standby_names")).rows[0].synchronous_standby_names !== "*")
    await pause(5);
  const { position } = (await primary.admin("SELECT pg_current_wal_lsn() AS position")).rows[0];
  while ((await primary.admin(isDone.replace("$POSITION", `'${position}'`))).rows.length === 0)
    await pause(5);
}

/** As an operator does who has no other standby at the moment: it waits for none. */
export async function promote(standby: PostgresServer): Promise<void> {
  await standby.admin("ALTER SYSTEM RESET synchronous_standby_names");
  await standby.admin("SELECT pg_reload_conf()");
  await standby.admin("SELECT pg_promote(true, 60)");
}

/** SIGSTOP for the server and all its processes. The returned function continues them. */
export async function freeze(server: PostgresServer): Promise<() => void> {
  const { rows } = await server.admin("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
  const signalAll = (signal: NodeJS.Signals) => {
    server.signal(signal);
    for (const { pid } of rows) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
  };
  signalAll("SIGSTOP");
  return () => signalAll("SIGCONT");
}

/** One DATABASE_URL for all servers, in this order. */
export function urlOfAll(servers: ReadonlyArray<{ port: number }>, database: string): string {
  return `postgres://admin@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/${database}`;
}

/** The standby receives nothing more. */
export async function disconnect(standby: PostgresServer): Promise<void> {
  await standby.admin("ALTER SYSTEM SET primary_conninfo = ''");
  await standby.admin("SELECT pg_reload_conf()");
  while ((await standby.admin("SELECT 1 FROM pg_stat_wal_receiver")).rows.length > 0) await pause(5);
}
