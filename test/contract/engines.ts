// The engines that every contract test runs on, each with a fresh database.

import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { copySqliteStore, takePostgresStore } from "../harness/servers/stores.ts";

type OnCommit = (groupSize: number) => void;

const ENGINES = {
  SQLite: {
    open: (path: string, onCommit?: OnCommit) => openSqlite(path, onCommit && { onCommit }),
    empty: async (t: TestContext) => join(makeFolder(t), "store.db"),
    store: copySqliteStore,
  },
  PostgreSQL: {
    open: (url: string, onCommit?: OnCommit) =>
      openPostgres(url, { poolSize: 5, deadlineMs: PATIENT_DATABASE_MS, ...(onCommit && { onCommit }) }),
    empty: createTestDatabase,
    store: takePostgresStore,
  },
};

export type EngineName = keyof typeof ENGINES;
export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[];

type Suite = (t: TestContext, db: Database, groupSizes: number[]) => Promise<void>;

/** Runs one suite on every engine. `groupSizes` are the sizes of the groups that were committed so far. */
export function testOnEngines(name: string, suite: Suite): void {
  for (const engine of ENGINE_NAMES) {
    test(`${name} on ${engine}`, async (t) => {
      const groupSizes: number[] = [];
      const db = await openEmptyStore(t, engine, (size) => groupSizes.push(size));
      await suite(t, db, groupSizes);
    });
  }
}

/** Runs one suite on every engine, with two connections to one store. */
export function testOnTwoNodes(
  name: string,
  suite: (t: TestContext, nodes: [Database, Database]) => Promise<void>,
): void {
  for (const engine of ENGINE_NAMES) {
    const { open, store } = ENGINES[engine];
    test(`${name} on ${engine}`, async (t) => {
      const place = await store(t);
      await suite(t, [closeAfter(t, open(place)), closeAfter(t, open(place))]);
    });
  }
}

/** The same without a schema. */
export function testOnEmptyEngines(
  name: string,
  suite: (t: TestContext, db: Database) => Promise<void>,
): void {
  for (const engine of ENGINE_NAMES) {
    const { open, empty } = ENGINES[engine];
    test(`${name} on ${engine}`, async (t) => suite(t, closeAfter(t, open(await empty(t)))));
  }
}

/** A store without rows, with this release's schema; closed when the test ends. */
export async function openEmptyStore(
  t: TestContext,
  engine: EngineName,
  onCommit?: OnCommit,
): Promise<Database> {
  const { open, store } = ENGINES[engine];
  return closeAfter(t, open(await store(t), onCommit));
}

/** A SQLite store at this path, with this release's schema; closed when the test ends. */
export async function openStoreFile(t: TestContext, path: string): Promise<Database> {
  const db = closeAfter(t, openSqlite(path));
  await migrate(db, 0);
  return db;
}

function closeAfter(t: TestContext, db: Database): Database {
  t.after(() => db.close());
  return db;
}

/** `from` is a table, or a table with a condition. */
export async function countRows(db: Database, from: string): Promise<number> {
  return Number((await db.first(`SELECT count(*) AS count FROM ${from}`))?.count);
}
