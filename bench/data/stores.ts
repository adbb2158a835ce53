// Stores with animals and a key for the load: of the service, of a previous release, of a peer. Deleted after the run.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { environmentOf } from "../../test/harness/commands.ts";
import type { PostgresServer } from "../../test/harness/postgres.ts";
import { startRedis } from "../../test/harness/redis.ts";
import { mainCommand } from "../../test/harness/service.ts";
import { type Cores, onServerCore } from "../cores.ts";
import { asTest, type Scope } from "../scope.ts";
import { fillPostgres, fillPostgresListings, makePeerDatabase, startDurablePostgres } from "./postgres.ts";
import { fillSqlite, fillSqliteListings } from "./sqlite.ts";

export const ENGINES = { embedded: "embedded engine", postgres: "PostgreSQL + Redis" } as const;
export type Engine = keyof typeof ENGINES;

export interface Store {
  environment: Record<string, string>;
  /** On the enterprise plan, with limits too high to be reached. */
  key: string;
}

export interface Stores {
  /** The store of the service; the same one for the same engine and size. */
  get(engine: Engine, animals: number): Promise<Store>;
  /** A store of the service whose animals have profiles. */
  getListings(engine: Engine, animals: number): Promise<Store>;
  /** The settings of a new store without animals. */
  createEmpty(engine: Engine): Promise<Record<string, string>>;
  /** A new store on PostgreSQL and Redis, made by the release in this folder. */
  createForRelease(root: string, animals: number): Promise<Store>;
  /** A new store of a peer on PostgreSQL and Redis. */
  createForPeer(animals: number): Promise<Store>;
}

const KEY_FLAGS = [
  ...["--name", "load", "--plan", "enterprise", "--access", "manage"],
  ...["--per-minute", "1000000000", "--per-day", "1000000000", "--json"],
];

export function createStores(scope: Scope): Stores {
  const made = new Map<string, Promise<Store>>();
  let postgres: Promise<PostgresServer> | undefined;
  let emptyStores = 0;

  /** A new database on the shared PostgreSQL, and a Redis for it alone. */
  async function createEngines() {
    postgres ??= startDurablePostgres(scope);
    const redis = await startRedis(asTest(scope));
    return { DATABASE_URL: await (await postgres).createDatabase(), REDIS_URL: redis.url };
  }

  async function createOnSqlite(animals: number): Promise<Store> {
    const path = join(scope.folder, `store-${animals}.db`);
    const environment = { DATABASE_URL: `sqlite:${path}` };
    await runCommand(["migrate"], environment);
    fillSqlite(path, animals);
    return { environment, key: await createKey(environment) };
  }

  async function createOnPostgres(animals: number, root?: string): Promise<Store> {
    const environment = await createEngines();
    await runCommand(["migrate"], environment, { root });
    await fillPostgres(environment.DATABASE_URL, animals);
    return { environment, key: await createKey(environment, root) };
  }

  return {
    get(engine, animals) {
      const name = `${engine} ${animals}`;
      const create = engine === "embedded" ? createOnSqlite : createOnPostgres;
      const store = made.get(name) ?? create(animals);
      made.set(name, store);
      return store;
    },
    async getListings(engine, animals) {
      if (engine === "postgres") {
        const environment = await createEngines();
        await runCommand(["migrate"], environment);
        await fillPostgresListings(environment.DATABASE_URL, animals);
        return { environment, key: await createKey(environment) };
      }
      const path = join(scope.folder, `listings-${animals}.db`);
      const environment = { DATABASE_URL: `sqlite:${path}` };
      await runCommand(["migrate"], environment);
      fillSqliteListings(path, animals);
      return { environment, key: await createKey(environment) };
    },
    async createEmpty(engine) {
      const environment =
        engine === "postgres"
          ? await createEngines()
          : { DATABASE_URL: `sqlite:${join(scope.folder, `empty-${emptyStores++}.db`)}` };
      await runCommand(["migrate"], environment);
      return environment;
    },
    createForRelease: (root, animals) => createOnPostgres(animals, root),
    async createForPeer(animals) {
      const environment = await createEngines();
      return { environment, key: await makePeerDatabase(environment.DATABASE_URL, animals) };
    },
  };
}

async function createKey(environment: Record<string, string>, root?: string): Promise<string> {
  return JSON.parse(await runCommand(["keys", "create", ...KEY_FLAGS], environment, { root })).key;
}

/** Of the release in `root`, on the server's core of `cores`. Rejects with the command and its error output if it fails. */
export async function runCommand(
  args: string[],
  environment: Record<string, string>,
  { root, cores }: { root?: string | undefined; cores?: Cores | undefined } = {},
): Promise<string> {
  const [program = "", ...words] = onServerCore(cores, mainCommand(args, root));
  const { stdout } = await promisify(execFile)(program, words, { env: environmentOf(environment) });
  return stdout;
}
