// A fresh store on each engine, for commands that work on any: its address, and a look into it.

import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config.ts";
import { openDatabase } from "../../src/engines.ts";
import type { Database } from "../../src/storage/database.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { makeFolder } from "../harness/folder.ts";
import { type CommandResult, runCommand } from "../harness/service.ts";

export interface TestStore {
  environment: { DATABASE_URL: string };
  folder: string;
  /** What the store really holds. */
  db: Database;
  command(...args: string[]): Promise<CommandResult>;
}

/** An empty store with this release's schema. */
export async function makeStore(t: TestContext, url?: string): Promise<TestStore> {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: url ?? `sqlite:${join(folder, "store.db")}` };
  const command = (...args: string[]) => runCommand(args, environment);
  await command("migrate");
  const db = await openDatabase(readConfig(environment), false);
  t.after(() => db.close());
  return { environment, folder, db, command };
}

export function testOnStores(name: string, suite: (t: TestContext, store: TestStore) => Promise<void>): void {
  test(`${name} on SQLite`, async (t) => suite(t, await makeStore(t)));
  test(`${name} on PostgreSQL`, async (t) => suite(t, await makeStore(t, await createTestDatabase(t))));
}
