// PostgreSQL servers for tests: a temporary cluster on a free port, stopped with the test.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { findProgram } from "../runner/packages.ts";
import { askPostgres } from "./databases.ts";
import { findFreePort } from "./ports.ts";

export interface PostgresServer {
  port: number;
  /** The address of a database on this server. */
  urlOf(database: string): string;
  createDatabase(): Promise<string>;
  /** Runs SQL as the server's administrator. */
  admin(sql: string): Promise<pg.QueryResult>;
  /** SIGINT: the fast shutdown; SIGQUIT: as in a crash; SIGSTOP and SIGCONT: frozen and thawed. */
  signal(signal: NodeJS.Signals): void;
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Stops, and starts again with other data at the same address. */
  changeData(change: Fill): Promise<void>;
}

/** Makes the contents of the folder `data`, as `user`. */
type Fill = (data: string, user: User) => Promise<void>;

const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  "max_connections = 200",
  "shared_buffers = '32MB'",
  "log_min_messages = fatal",
  "fsync = off",
];
/** The folder of a new cluster, copied for each server of a test: making one takes 1.5 s of CPU time, a copy 0.1 s. */
const TEMPLATE = "TEST_POSTGRES_TEMPLATE";

/** A server for one test, which may stop and freeze it. */
export async function startPostgres(t: TestContext): Promise<PostgresServer> {
  const { server, remove } = await makePostgres();
  t.after(remove);
  return server;
}

/**
 * `remove` stops the server and deletes its data. `settings` are lines of postgresql.conf that replace the defaults of the
 * tests.
 */
export async function makePostgres(
  settings: string[] = [],
  fill: Fill = makeEmpty,
): Promise<{ server: PostgresServer; remove: () => Promise<void> }> {
  const { folder, data, user } = makeDataFolder();
  const port = await findFreePort();
  const prepare = async (how: Fill) => {
    await how(data, user);
    const lines = [...SETTINGS, ...settings, `port = ${port}`, ""];
    appendFileSync(join(data, "postgresql.conf"), lines.join("\n"));
  };
  await prepare(fill);

  let child: ChildProcess | undefined;
  const urlOf = (database: string) => `postgres://admin@127.0.0.1:${port}/${database}`;

  const server: PostgresServer = {
    port,
    urlOf,
    admin: (sql) => askPostgres(urlOf("postgres"), sql),
    async createDatabase() {
      const name = `test_${randomBytes(6).toString("hex")}`;
      await server.admin(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    signal(signal) {
      child?.kill(signal);
    },
    async stop(signal = "SIGINT") {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
    async start() {
      child = spawn(programOf("postgres"), ["-D", data], { ...user, cwd: folder, stdio: "ignore" });
      for (;;) {
        try {
          await server.admin("SELECT 1");
          return;
        } catch (error) {
          if (child.exitCode !== null) throw new Error("PostgreSQL did not start", { cause: error });
          await pause(20);
        }
      }
    },
    async changeData(change) {
      await server.stop();
      await prepare(change);
      await server.start();
    },
  };
  await server.start();
  return {
    server,
    async remove() {
      server.signal("SIGCONT");
      await server.stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folder for the servers of all test processes. Returns the function that deletes it. */
export function makePostgresTemplate(): () => void {
  const { folder, data, user } = makeDataFolder();
  initialise(data, user);
  process.env[TEMPLATE] = data;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** PostgreSQL runs as another user and requires that only this user can read the folder. */
function makeDataFolder(): { folder: string; data: string; user: User } {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-postgres-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const user = unprivilegedUser();
  if (user !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(data, user.uid, user.gid);
  }
  return { folder, data, user };
}

/** Undefined for the user of the tests. */
export type User = { uid: number; gid: number } | undefined;

async function makeEmpty(data: string, user: User): Promise<void> {
  const template = process.env[TEMPLATE];
  if (template === undefined) initialise(data, user);
  else execFileSync("cp", ["-a", `${template}/.`, data]);
}

/** A program of the installation that the tests use. */
export function programOf(name: string): string {
  return join(dirname(findProgram("postgres")), name);
}

function initialise(data: string, user: User): void {
  const flags = ["-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(programOf("initdb"), ["-D", data, ...flags], { ...user, cwd: dirname(data), stdio: "ignore" });
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): User {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
