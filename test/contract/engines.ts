// The engines that every contract is run on, each with a fresh database.

import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { makeFolder } from "../harness/folder.ts";

const ENGINES: Record<string, (t: TestContext) => Promise<Database>> = {
  SQLite: async (t) => openSqlite(join(makeFolder(t), "store.db")),
  PostgreSQL: async (t) => openPostgres(await createTestDatabase(t), { poolSize: 5 }),
};

type Suite = (t: TestContext, db: Database) => Promise<void>;

/** Runs one suite on every engine. */
export function testOnEngines(name: string, suite: Suite): void {
  testOnEmptyEngines(name, async (t, db) => {
    await migrate(db, 0);
    await suite(t, db);
  });
}

/** The same without any schema. */
export function testOnEmptyEngines(name: string, suite: Suite): void {
  for (const [engine, open] of Object.entries(ENGINES)) {
    test(`${name} on ${engine}`, async (t) => {
      const db = await open(t);
      t.after(() => db.close());
      await suite(t, db);
    });
  }
}
