// A fresh store on each engine for tests of commands: its address, and access to its data.

import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config.ts";
import { openDatabase } from "../../src/engines.ts";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { addPets } from "../../src/storage/stores/pets.ts";
import { type CommandResult, runInHost } from "../harness/commands.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { makeFolder } from "../harness/folder.ts";

export interface TestStore {
  environment: { DATABASE_URL: string };
  folder: string;
  /** For a look at the data, past the commands. */
  db: Database;
  command(...args: string[]): Promise<CommandResult>;
}

/** An empty store with this release's schema. */
export async function makeStore(t: TestContext, url?: string): Promise<TestStore> {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: url ?? `sqlite:${join(folder, "store.db")}` };
  const command = (...args: string[]) => runInHost(args, environment);
  const db = await openDatabase(readConfig(environment), false);
  t.after(() => db.close());
  await migrate(db, 0);
  return { environment, folder, db, command };
}

export function testOnStores(name: string, suite: (t: TestContext, store: TestStore) => Promise<void>): void {
  test(`${name} on SQLite`, async (t) => suite(t, await makeStore(t)));
  test(`${name} on PostgreSQL`, async (t) => suite(t, await makeStore(t, await createTestDatabase(t))));
}

const STATUSES = ["available", "pending", "sold"] as const;

/** Adds animals with different names, statuses and categories. */
export async function fillStore(db: Database, count: number): Promise<void> {
  const pets = Array.from({ length: count }, (_, i) => ({
    name: `Luna ${i} 🐕`,
    categoryId: 9_007_199_254_740_993n + BigInt(i),
    status: STATUSES[i % 3] as (typeof STATUSES)[number],
  }));
  const options = { inOrder: true, deadlineMs: 30_000 };
  await db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), options);
}
