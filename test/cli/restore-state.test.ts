// `restore` beside the files of an earlier store, and the epoch of the restored one, also from an older release.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { versions } from "../../src/storage/migrations/0005-versions.ts";
import { audit } from "../../src/storage/migrations/0007-audit.ts";
import { migrate, SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { withConnection } from "../../src/storage/sqlite/files.ts";
import { runInHost } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { fillStore, makeStore } from "./stores.ts";

const ANIMALS = 500;

/** The rollback journal of a process that was killed in a transaction which has reached the file. */
function makeHotJournal(path: string): Buffer {
  const dead = new SqliteConnection(path);
  dead.pragma("journal_mode = DELETE");
  dead.pragma("cache_size = 1");
  dead.exec("BEGIN; UPDATE pets SET name = name || ' of another store'");
  const journal = readFileSync(`${path}-journal`);
  dead.exec("ROLLBACK");
  dead.close();
  return journal;
}

test("restore does not apply the rollback journal of an earlier store, and keeps it", async (t) => {
  const { folder, db, command } = await makeStore(t);
  await fillStore(db, ANIMALS);
  const backup = join(folder, "backup.db");
  assert.equal((await command("backup", backup)).code, 0);
  await db.close();
  const place = join(folder, "gone.db");
  copyFileSync(join(folder, "store.db"), place);
  const journal = makeHotJournal(place);
  assert.ok(journal.readUInt32BE(8) > 0, "SQLite would roll back to the pages in it");
  rmSync(place);
  writeFileSync(`${place}-journal`, journal);
  const result = await runInHost(["restore", backup], { DATABASE_URL: `sqlite:${place}` });
  assert.equal(result.code, 0, result.stderr);
  assert.equal(existsSync(`${place}-journal`), false);
  assert.deepEqual(readFileSync(`${place}.before-restore-journal`), journal);
  const found = withConnection(place, {}, (store) => ({
    damage: store.pragma("integrity_check", { simple: true }),
    animals: store.prepare("SELECT count(*) FROM pets").pluck().get(),
  }));
  assert.deepEqual(found, { damage: "ok", animals: ANIMALS });
});

// 1.0.0 has the schema that added the epoch; the audit log came later.
for (const schema of [versions.version, audit.version, SCHEMA_VERSION]) {
  test(`a store that is restored from schema ${schema} has a new epoch`, async (t) => {
    const folder = makeFolder(t);
    const path = join(folder, "store.db");
    const db = openSqlite(path);
    await migrate(db, 0, schema);
    await db.close();
    const environment = { DATABASE_URL: `sqlite:${path}` };
    const readEpoch = () =>
      withConnection(path, {}, (store) => store.prepare("SELECT epoch FROM store").pluck().get());
    const before = readEpoch();
    const backup = join(folder, "backup.db");
    assert.equal((await runInHost(["backup", backup], environment)).code, 0);
    const restored = await runInHost(["restore", backup, "--force"], environment);
    assert.equal(restored.code, 0, restored.stderr);
    const after = readEpoch();
    assert.notEqual(after, before);
    assert.equal((await runInHost(["migrate"], environment)).code, 0);
    assert.equal(readEpoch(), after);
  });
}
