// Guarantees of the SQLite engine: one serving process, group commit, and full, busy or newer files.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import type { Transaction } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { createGroupWriter } from "../../src/storage/sqlite/group-writer.ts";
import { type AddedWork, createQueries } from "../../src/storage/sqlite/queries.ts";
import { awaitAll } from "../../src/tools/await-all.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { copySqliteStore } from "../harness/servers/stores.ts";
import { countRows, openStoreFile } from "./engines.ts";

/** Between two attempts to lock a file. */
const BUSY_PAUSE_MS = 5;
const INSERT = "INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'sold')";

/** A store, and a connection to its file as another process has it. */
async function openTwice(t: TestContext) {
  const path = join(makeFolder(t), "store.db");
  const db = await openStoreFile(t, path);
  const other = new SqliteConnection(path);
  t.after(() => other.close());
  return { db, other };
}

test("a file is set up for durable writes", async (t) => {
  const db = await openStoreFile(t, join(makeFolder(t), "deep", "er", "store.db"));
  const pragma = (name: string) => db.transaction(async (tx) => (await tx.first(`PRAGMA ${name}`))?.[name]);
  assert.equal(await pragma("journal_mode"), "wal");
  assert.equal(await pragma("synchronous"), 2n);
  assert.equal(await pragma("foreign_keys"), 1n);
  const [{ version } = { version: "" }] = await db.all("SELECT sqlite_version() AS version");
  assert.ok(String(version).localeCompare("3.51.3", "en", { numeric: true }) >= 0, String(version));
});

test("a start that fails leaves the file free for the next one", async (t) => {
  const path = join(makeFolder(t), "store.db");
  await openSqlite(path).close();
  const reader = new SqliteConnection(path);
  t.after(() => reader.close());
  reader.pragma("journal_mode = DELETE");
  // It can be read, but not set to WAL mode.
  reader.exec("BEGIN; SELECT count(*) FROM sqlite_master");
  assert.throws(() => openSqlite(path, { serving: true }), /Another process holds it/);
  reader.exec("COMMIT");
  await openSqlite(path, { serving: true }).close();
});

test("transactions that arrive together share a commit", async (t) => {
  const sizes: number[] = [];
  const db = openSqlite(join(makeFolder(t), "store.db"), { onCommit: (size) => sizes.push(size) });
  t.after(() => db.close());
  await migrate(db, 0);
  sizes.length = 0;
  await Promise.all(Array.from({ length: 200 }, () => db.transaction((tx) => tx.run(INSERT, ["Rex"]))));
  assert.deepEqual(sizes, [64, 64, 64, 8]);
});

test("refuses writes when more than 4,096 wait", async (t) => {
  const db = await openStoreFile(t, join(makeFolder(t), "store.db"));
  const writes = Array.from({ length: 5_000 }, () => db.transaction((tx) => tx.run(INSERT, ["Rex"])));
  const outcomes = await Promise.allSettled(writes);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  assert.equal(refused.length, 5_000 - 4_096);
  for (const { reason } of refused) assert.equal(reason.code, "unavailable");
  assert.equal(await countRows(db, "pets"), 4_096);
});

test("a full disk is unavailable, loses no acknowledged write, and recovers when it has space", async (t) => {
  const path = await copySqliteStore(t);
  const connection = new SqliteConnection(path);
  t.after(() => connection.close());
  const writer = createGroupWriter(connection, createQueries(connection));
  const write = () => writer.write((tx) => tx.run(INSERT, ["x".repeat(4_000)]));
  const count = () =>
    (connection.prepare("SELECT count(*) AS count FROM pets").get() as { count: number }).count;

  connection.pragma(`max_page_count = ${Number(connection.pragma("page_count", { simple: true })) + 20}`);
  const outcomes = await Promise.allSettled(Array.from({ length: 64 }, write));
  const kept = outcomes.filter(({ status }) => status === "fulfilled").length;
  assert.ok(kept < 64);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") assert.equal(outcome.reason.code, "unavailable");
  }
  assert.equal(count(), kept, "exactly the acknowledged writes are there");
  connection.pragma("max_page_count = 100000");
  await write();
  assert.equal(count(), kept + 1);
});

test("a transaction that fails leaves no work for the commit, alone or in a group", async (t) => {
  const connection = new SqliteConnection(await copySqliteStore(t));
  t.after(() => connection.close());
  const commitWorks: AddedWork[] = [];
  const writer = createGroupWriter(connection, createQueries(connection, { commitWorks }), { commitWorks });
  const worked: bigint[][] = [];
  const work = async (_tx: Transaction, ids: bigint[]) => void worked.push(ids);
  const write = (ids: bigint[], error?: Error) =>
    writer.write(async (tx) => {
      tx.atCommit?.(work, ids);
      if (error !== undefined) throw error;
    });
  const planned = new Error("planned");
  await assert.rejects(write([1n], planned), planned);
  assert.deepEqual(worked, []);
  await Promise.allSettled([write([1n]), write([4n, 2n], planned), write([2n, 1n, 3n])]);
  await write([5n]);
  assert.deepEqual(worked, [[1n, 2n, 1n, 3n], [5n]]);
});

test("a statement after an error that ended its transaction is refused", async (t) => {
  const db = await openStoreFile(t, join(makeFolder(t), "store.db"));
  // As a full disk does.
  const end = async (tx: Transaction) => {
    await tx.run(INSERT.replace("INSERT", "INSERT OR ROLLBACK"), [null]);
  };
  const work = (tx: Transaction) => awaitAll([end(tx), tx.run(INSERT, ["Rex"])]);
  await assert.rejects(db.transaction(work), /NOT NULL/);
  assert.equal(await countRows(db, "pets"), 0);
  assert.equal(await db.transaction((tx) => tx.run(INSERT, ["Rex"])), 1);
});

test("a file locked by another process delays writes but not reads, and is unavailable after a time-out", async (t) => {
  const { db, other } = await openTwice(t);

  other.exec("BEGIN IMMEDIATE");
  const waiting = db.transaction((tx) => tx.run(INSERT, ["Rex"]));
  assert.equal(await countRows(db, "pets"), 0);
  other.exec("COMMIT");
  assert.equal(await waiting, 1);

  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(
    db.transaction((tx) => tx.run(INSERT, ["Rex"])),
    { code: "unavailable" },
  );
  assert.equal(db.canWrite(), false);
  other.exec("COMMIT");
  assert.equal(await db.transaction((tx) => tx.run(INSERT, ["Rex"])), 1);
  assert.equal(db.canWrite(), true);
});

test("the wait for a locked file counts from the oldest write of a group, with its time in the queue", async (t) => {
  const clock = { nowMs: 0 };
  t.mock.method(performance, "now", () => clock.nowMs);
  const { db, other } = await openTwice(t);
  const write = () => db.transaction((tx) => tx.run(INSERT, ["Rex"]));
  const unavailable = { code: "unavailable" };

  other.exec("BEGIN IMMEDIATE");
  const first = write();
  // Its group has begun to wait; later writes are in the next one.
  await yieldToEventLoop();
  clock.nowMs = 1_000;
  const second = write();
  clock.nowMs = 1_900;
  const third = write();
  clock.nowMs = 2_001;
  await assert.rejects(first, unavailable);
  // The next group waits now, too.
  for (let tick = 0; tick < 3; tick++) await yieldToEventLoop();
  clock.nowMs = 3_001;
  // Later than the next attempt, which is the last one.
  setTimeout(() => other.exec("COMMIT"), 10 * BUSY_PAUSE_MS);
  await Promise.all([second, third].map((late) => assert.rejects(late, unavailable)));
  assert.equal(await write(), 1);
});

test("a test write reaches the disk and changes no data", async (t) => {
  const path = join(makeFolder(t), "store.db");
  const db = await openStoreFile(t, path);
  const before = await db.all("SELECT * FROM schema_migrations");
  const { size } = statSync(`${path}-wal`);
  await db.testWrite();
  assert.ok(statSync(`${path}-wal`).size > size, "the WAL has grown");
  assert.deepEqual(await db.all("SELECT * FROM schema_migrations"), before);
});
