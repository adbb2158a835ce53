// The engines that every contract test runs on, each with a fresh database.

import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { makeFolder } from "../harness/folder.ts";

const ENGINES = {
  SQLite: async (t: TestContext) => openSqlite(join(makeFolder(t), "store.db")),
  PostgreSQL: async (t: TestContext) => openPostgres(await createTestDatabase(t), { poolSize: 5 }),
};

export type EngineName = keyof typeof ENGINES;
export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[];

type Suite = (t: TestContext, db: Database) => Promise<void>;

/** Runs one suite on every engine. */
export function testOnEngines(name: string, suite: Suite): void {
  for (const engine of ENGINE_NAMES) {
    test(`${name} on ${engine}`, async (t) => suite(t, await openEmptyStore(t, engine)));
  }
}

/** The same without a schema. */
export function testOnEmptyEngines(name: string, suite: Suite): void {
  for (const engine of ENGINE_NAMES) {
    test(`${name} on ${engine}`, async (t) => suite(t, await openDatabase(t, engine)));
  }
}

/** A store without rows, with this release's schema; closed when the test ends. */
export async function openEmptyStore(t: TestContext, engine: EngineName): Promise<Database> {
  const db = await openDatabase(t, engine);
  await migrate(db, 0);
  return db;
}

async function openDatabase(t: TestContext, engine: EngineName): Promise<Database> {
  const db = await ENGINES[engine](t);
  t.after(() => db.close());
  return db;
}

/** A SQLite store at this path, with this release's schema; closed when the test ends. */
export async function openStoreFile(t: TestContext, path: string): Promise<Database> {
  const db = openSqlite(path);
  t.after(() => db.close());
  await migrate(db, 0);
  return db;
}
