// The engines that every contract is run on, each with a fresh database.

import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { openPostgres } from "../../src/storage/postgres.ts";
import { openSqlite } from "../../src/storage/sqlite.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { makeFolder } from "../harness/folder.ts";

const ENGINES: Record<string, (t: TestContext) => Promise<Database>> = {
  SQLite: async (t) => openSqlite(join(makeFolder(t), "store.db")),
  PostgreSQL: async (t) => openPostgres(await createTestDatabase(t), { poolSize: 5 }),
};

/** Runs one suite on every engine. */
export function testOnEngines(name: string, suite: (t: TestContext, db: Database) => Promise<void>): void {
  for (const [engine, open] of Object.entries(ENGINES)) {
    test(`${name} on ${engine}`, async (t) => {
      const db = await open(t);
      await migrate(db, 0);
      t.after(() => db.close());
      await suite(t, db);
    });
  }
}
