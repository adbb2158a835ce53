// Files of a SQLite store as a whole: backup, restore and inspection, with damage and differences planted on purpose.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { partialOf } from "../../src/files/atomic-file.ts";
import { backupSqlite } from "../../src/storage/sqlite/backup.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { inspectSqlite } from "../../src/storage/sqlite/inspect.ts";
import { restoreSqlite } from "../../src/storage/sqlite/restore.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { runCommand } from "../harness/servers/service.ts";
import { recordSyncs } from "../unit/tools/syncs.ts";
import { openStoreFile } from "./engines.ts";

const NO_PROGRESS = () => {};
const REFUSED = { force: false, unsealed: false };

/** A closed store with one category. */
async function makeStoreFile(t: TestContext): Promise<{ folder: string; path: string; target: string }> {
  const folder = makeFolder(t);
  const path = join(folder, "store.db");
  const db = await openStoreFile(t, path);
  await createCategoryStore(db).put({ id: 1n, name: "Dogs" }, { atMs: 0 });
  await db.close();
  return { folder, path, target: join(folder, "backup.db") };
}

/** Damage that SQLite reports in rows of its integrity check, while every read still succeeds. */
function loseIndex(path: string): void {
  const connection = new SqliteConnection(path);
  connection.unsafeMode(true);
  connection.pragma("writable_schema = ON");
  connection.exec("DELETE FROM sqlite_master WHERE name = 'pets_by_update'");
  connection.close();
}

function seal(path: string): void {
  const checksum = createHash("sha256").update(readFileSync(path)).digest("hex");
  appendFileSync(path, `\nanimal-store backup, sha256 ${checksum}\n`);
}

test("a backup is private, whatever the umask", async (t) => {
  const { path, target } = await makeStoreFile(t);
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  await backupSqlite(path, target, NO_PROGRESS);
  assert.equal(statSync(target).mode & 0o777, 0o600);
});

test("a backup is synced before it gets its name, and its folder after", async (t) => {
  const { folder, path, target } = await makeStoreFile(t);
  const syncs = await recordSyncs(t, target);
  await backupSqlite(path, target, NO_PROGRESS);
  assert.deepEqual(syncs, [
    { path: partialOf(target), isPublished: false },
    { path: folder, isPublished: true },
  ]);
});

test("a restored store is synced before it gets its name, and its folder after", async (t) => {
  const { path, target } = await makeStoreFile(t);
  await backupSqlite(path, target, NO_PROGRESS);
  const folder = makeFolder(t);
  const restored = join(folder, "restored.db");
  const syncs = await recordSyncs(t, restored);
  await restoreSqlite(target, restored, REFUSED);
  assert.deepEqual(syncs, [
    { path: `${restored}.restoring`, isPublished: false },
    { path: folder, isPublished: true },
  ]);
});

test("a backup that differs from the store is refused", async (t) => {
  const { folder, path, target } = await makeStoreFile(t);
  const { prepare } = DatabaseSync.prototype;
  // As if the store had held a category more at the moment of the copy: only the store is read by this driver.
  const countMore = function (this: DatabaseSync, sql: string) {
    const isCount = sql === "SELECT count(*) FROM categories";
    return isCount ? { all: () => [{ count: 2 }] } : prepare.call(this, sql);
  };
  t.mock.method(DatabaseSync.prototype, "prepare", countMore as typeof prepare);
  await assert.rejects(
    backupSqlite(path, target, NO_PROGRESS),
    /Backup verification failed: the copy differs/,
  );
  assert.deepEqual(readdirSync(folder), ["store.db"]);
});

test("damage that SQLite reports without an error", async (t) => {
  const { folder, path, target } = await makeStoreFile(t);
  loseIndex(path);

  await t.test("backup refuses such damage", async () => {
    await assert.rejects(backupSqlite(path, target, NO_PROGRESS), /^Error: The copy is damaged: /);
    assert.equal(existsSync(target), false);
  });

  await t.test("restore refuses such damage, with a seal and without", async () => {
    const restored = join(folder, "restored.db");
    copyFileSync(path, target);
    const unsealed = restoreSqlite(target, restored, { ...REFUSED, unsealed: true });
    await assert.rejects(unsealed, /backup\.db is damaged: /);
    seal(target);
    await assert.rejects(restoreSqlite(target, restored, REFUSED), /backup\.db is damaged: /);
    assert.equal(existsSync(restored), false);
  });

  await t.test("doctor finds such damage with --deep only", async () => {
    assert.deepEqual((await inspectSqlite(path, { deep: false })).damage, []);
    assert.match((await inspectSqlite(path, { deep: true })).damage.join(), /never used/);
    const doctor = await runCommand(["doctor", "--deep", "--json"], { DATABASE_URL: `sqlite:${path}` });
    const [engine] = JSON.parse(doctor.stdout).filter(({ check }: { check: string }) => check === "engine");
    assert.deepEqual([doctor.code, engine.result], [1, "fault"]);
    assert.match(engine.detail, /store\.db is damaged/);
  });
});

test("inspection says whether a process serves the store", async (t) => {
  const { path } = await makeStoreFile(t);
  const isServed = async () => (await inspectSqlite(path, { deep: false })).isServed;
  assert.equal(await isServed(), false);
  const beside = openSqlite(path);
  assert.equal(await isServed(), false, "a command that has it open does not serve it");
  await beside.close();
  const serving = openSqlite(path, { serving: true });
  assert.equal(await isServed(), true);
  const { writeFault } = await inspectSqlite(path, { deep: true });
  assert.equal(writeFault, undefined, "it can be written during the inspection");
  await serving.close();
  assert.equal(await isServed(), false);
});
