// Stores of the service with animals and a key for the load. One per engine and size, deleted after the run.

import { join } from "node:path";
import pg from "pg";
import { makePostgres, type PostgresServer } from "../../test/harness/postgres.ts";
import { startRedis } from "../../test/harness/redis.ts";
import { runCommand } from "../../test/harness/service.ts";
import { asTest, type Scope } from "../scope.ts";
import { insertStatements } from "./animals.ts";
import { fillSqlite } from "./sqlite.ts";

export const ENGINES = { embedded: "embedded engine", postgres: "PostgreSQL + Redis" } as const;
export type Engine = keyof typeof ENGINES;

export interface Store {
  environment: Record<string, string>;
  /** On the enterprise plan, with limits too high to be reached. */
  key: string;
}

export interface Stores {
  get(engine: Engine, animals: number): Promise<Store>;
}

const KEY_FLAGS = [
  ...["--name", "load", "--plan", "enterprise", "--access", "manage"],
  ...["--per-minute", "1000000000", "--per-day", "1000000000", "--json"],
];

export function createStores(scope: Scope): Stores {
  const made = new Map<string, Promise<Store>>();
  let postgres: Promise<PostgresServer> | undefined;

  async function makeStore(engine: Engine, animals: number): Promise<Store> {
    if (engine === "embedded") {
      const path = join(scope.folder, `store-${animals}.db`);
      const environment = { DATABASE_URL: `sqlite:${path}` };
      await command(["migrate"], environment);
      fillSqlite(path, animals);
      return { environment, key: await createKey(environment) };
    }
    postgres ??= startPostgres(scope);
    const url = await (await postgres).createDatabase();
    await command(["migrate"], { DATABASE_URL: url });
    await fillPostgres(url, animals);
    const redis = await startRedis(asTest(scope));
    const environment = { DATABASE_URL: url, REDIS_URL: redis.url };
    return { environment, key: await createKey(environment) };
  }

  return {
    get(engine, animals) {
      const name = `${engine} ${animals}`;
      const store = made.get(name) ?? makeStore(engine, animals);
      made.set(name, store);
      return store;
    },
  };
}

async function startPostgres(scope: Scope): Promise<PostgresServer> {
  const { server, remove } = await makePostgres();
  scope.after(remove);
  return server;
}

async function fillPostgres(url: string, animals: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of insertStatements("postgres", animals)) await client.query(statement);
    // Without this, PostgreSQL's autovacuum would do it during a round.
    await client.query("VACUUM ANALYZE pets");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}

async function createKey(environment: Record<string, string>): Promise<string> {
  return JSON.parse(await command(["keys", "create", ...KEY_FLAGS], environment)).key;
}

async function command(args: string[], environment: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, environment);
  if (code !== 0) throw new Error(`${args.join(" ")} failed with exit code ${code}: ${stderr}`);
  return stdout;
}
