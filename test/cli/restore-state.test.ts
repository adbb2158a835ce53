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
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { fillStore, makeStore } from "./stores.ts";

const ANIMALS = 500;

/** Files that a killed process leaves beside a store, with changes that SQLite would apply to it. */
const LEFT: Record<string, (store: SqliteConnection.Database) => void> = {
  wal: (store) => {
    store.pragma("journal_mode = WAL");
    store.exec("DELETE FROM pets");
  },
  journal: (store) => {
    store.pragma("journal_mode = DELETE");
    store.pragma("cache_size = 1");
    store.exec("BEGIN; UPDATE pets SET name = name || ' of another store'");
  },
};

for (const [kind, change] of Object.entries(LEFT)) {
  test(`restore does not apply the ${kind} of an earlier store, and keeps it`, async (t) => {
    const { folder, db, readOutput } = await makeStore(t);
    await fillStore(db, ANIMALS);
    const backup = join(folder, "backup.db");
    await readOutput("backup", backup);
    await db.close();
    const place = join(folder, "gone.db");
    copyFileSync(join(folder, "store.db"), place);
    const dead = new SqliteConnection(place);
    change(dead);
    const left = readFileSync(`${place}-${kind}`);
    assert.ok(left.readUInt32BE(8) > 0, "it has changes");
    dead.close();
    rmSync(place);
    writeFileSync(`${place}-${kind}`, left);
    await commandsIn({ DATABASE_URL: `sqlite:${place}` }).readOutput("restore", backup);
    assert.equal(existsSync(`${place}-${kind}`), false);
    assert.deepEqual(readFileSync(`${place}.before-restore-${kind}`), left);
    const found = withConnection(place, {}, (store) => ({
      damage: store.pragma("integrity_check", { simple: true }),
      animals: store.prepare("SELECT count(*) FROM pets").pluck().get(),
    }));
    assert.deepEqual(found, { damage: "ok", animals: ANIMALS });
  });
}

// 1.0.0 has the schema that added the epoch; the audit log came later.
for (const schema of [versions.version, audit.version, SCHEMA_VERSION]) {
  test(`a store that is restored from schema ${schema} has a new epoch, and the versions of the backup`, async (t) => {
    const folder = makeFolder(t);
    const path = join(folder, "store.db");
    const db = openSqlite(path);
    await migrate(db, 0, schema);
    await db.close();
    const { readOutput } = commandsIn({ DATABASE_URL: `sqlite:${path}` });
    withConnection(path, {}, (store) => store.exec("UPDATE store SET keys_version = 7"));
    const read = (column: string) =>
      withConnection(path, {}, (store) => store.prepare(`SELECT ${column} FROM store`).pluck().get());
    const before = read("epoch");
    const backup = join(folder, "backup.db");
    await readOutput("backup", backup);
    await readOutput("restore", backup, "--force");
    const after = read("epoch");
    assert.notEqual(after, before);
    assert.equal(read("keys_version"), 7);
    await readOutput("migrate");
    assert.equal(read("epoch"), after);
  });
}

test("a store from before the epoch is restored, and gets one with its migration", async (t) => {
  const folder = makeFolder(t);
  const [path, backup] = [join(folder, "store.db"), join(folder, "backup.db")];
  const db = openSqlite(path);
  await migrate(db, 0, versions.version - 1);
  await db.close();
  const { readOutput } = commandsIn({ DATABASE_URL: `sqlite:${path}` });
  for (const words of [["backup", backup], ["restore", backup, "--force"], ["migrate"]])
    await readOutput(...words);
  const epoch = withConnection(path, {}, (store) => store.prepare("SELECT epoch FROM store").pluck().get());
  assert.match(String(epoch), /^[0-9a-f]{16}$/);
});
