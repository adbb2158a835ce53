// A fresh store on each engine for tests of commands: its address, and access to its data.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import type { Database } from "../../src/storage/database.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { copySqliteStore, takePostgresStore } from "../harness/servers/stores.ts";

export interface TestStore extends ReturnType<typeof commandsIn> {
  environment: { DATABASE_URL: string };
  folder: string;
  /** Reads and changes the data without a command. */
  db: Database;
  /** Writes a file beside the store and returns its path. */
  write(name: string, text: string | Buffer): string;
  countPets(): Promise<number>;
  /** Name, category and status of each animal, in the order of their ids. */
  listPets(): Promise<string[]>;
}

/** An empty SQLite store with this release's schema, which no process has open. */
export async function makeClosedStore(t: TestContext) {
  const folder = makeFolder(t);
  const path = await copySqliteStore(t, folder);
  return { folder, path, environment: { DATABASE_URL: `sqlite:${path}` } };
}

/** The same as an open store, on SQLite or at `url`. */
export async function makeStore(t: TestContext, url?: string): Promise<TestStore> {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: url ?? `sqlite:${await copySqliteStore(t, folder)}` };
  const db = await openDatabase(readConfig(environment), false, { deadlineMs: PATIENT_DATABASE_MS });
  t.after(() => db.close());
  const write: TestStore["write"] = (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const countPets = async () => Number((await db.first("SELECT count(*) AS n FROM pets"))?.n);
  const listPets = async () => {
    const rows = await db.all("SELECT name, category_id, status FROM pets ORDER BY id");
    return rows.map((row) => Object.values(row).join(" "));
  };
  return { ...commandsIn(environment), environment, folder, db, write, countPets, listPets };
}

export function testOnStores(name: string, suite: (t: TestContext, store: TestStore) => Promise<void>): void {
  test(`${name} on SQLite`, async (t) => suite(t, await makeStore(t)));
  test(`${name} on PostgreSQL`, async (t) => suite(t, await makeStore(t, await takePostgresStore(t))));
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

let files = 0;

/** Writes a CSV or NDJSON file with a name of its own into the folder of the store. Returns its path. */
export function writeNext({ write }: TestStore, text: string): string {
  files += 1;
  return write(`${files}.${text.startsWith("{") ? "ndjson" : "csv"}`, text);
}
