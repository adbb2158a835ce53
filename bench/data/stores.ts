// Stores with animals and a key for the load, made by the commands of a release: no table is known here.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { environmentOf } from "../../test/harness/clients/commands.ts";
import { makePostgres, type PostgresServer } from "../../test/harness/servers/postgres.ts";
import { startRedis } from "../../test/harness/servers/redis.ts";
import { mainCommand } from "../../test/harness/servers/service.ts";
import { type Cores, onServerCore } from "../machine/cores.ts";
import { writeAnimals } from "./animals.ts";

export const ENGINES = { embedded: "embedded engine", postgres: "PostgreSQL + Redis" } as const;
export type Engine = keyof typeof ENGINES;
export const ENGINE_NAMES = Object.keys(ENGINES) as Engine[];

/** The tests switch fsync off and save memory; a measured server must not. */
const DURABLE = "fsync = on; synchronous_commit = on; full_page_writes = on; shared_buffers = '128MB'";
/** With limits too high to be reached. */
const KEY_LIMITS = "--plan enterprise --per-minute 1000000000 --per-day 1000000000";
const CREATE_KEY = `keys create --name load --access admin ${KEY_LIMITS} --json`;

export interface Store {
  environment: Record<string, string>;
  key: string;
  /** The folder of the release whose store it is; undefined: this one. */
  root: string | undefined;
}

export type Stores = ReturnType<typeof createStores>;

export function createStores(t: TestContext, folder: string, engine: Engine) {
  let postgres: Promise<PostgresServer> | undefined;
  let files = 0;

  /** The settings of a new database: on PostgreSQL, on the shared server and with a Redis of its own. */
  async function createEngines(): Promise<Record<string, string>> {
    if (engine === "embedded") return { DATABASE_URL: `sqlite:${join(folder, `store-${files++}.db`)}` };
    postgres ??= startDurablePostgres(t);
    const redis = await startRedis(t);
    return { DATABASE_URL: await (await postgres).createDatabase(), REDIS_URL: redis.url };
  }

  async function create(animals: number, root?: string): Promise<Store> {
    const file = join(folder, `animals-${animals}.csv`);
    if (!existsSync(file)) writeAnimals(file, animals);
    const environment = await createEngines();
    for (const command of [["migrate"], ["import", file]]) await runCommand(command, environment, { root });
    if (engine === "postgres") await finishPostgres(environment.DATABASE_URL as string);
    const { key } = JSON.parse(await runCommand(CREATE_KEY.split(" "), environment, { root }));
    return { environment, key, root };
  }

  return { createEngines, create };
}

export async function startDurablePostgres(t: TestContext): Promise<PostgresServer> {
  const { server, remove } = await makePostgres(DURABLE.split("; "));
  t.after(remove);
  return server;
}

/** Otherwise PostgreSQL would do this during a round. */
async function finishPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of ["VACUUM ANALYZE", "CHECKPOINT"]) await client.query(statement);
  await client.end();
}

/** A command of the release in `root`, on the server's core of `cores`. Rejects with its error output if it fails. */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
  { root, cores }: { root?: string | undefined; cores?: Cores | undefined },
): Promise<string> {
  const [program = "", ...words] = onServerCore(cores, mainCommand(args, root));
  const { stdout } = await promisify(execFile)(program, words, { env: environmentOf(environment) });
  return stdout;
}
