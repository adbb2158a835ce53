// A backup that a signal interrupts stops its thread before the process ends.

import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { removeTemporaryFiles } from "../../src/files/temporary-files.ts";
import { backupSqlite } from "../../src/storage/sqlite/backup.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { openStoreFile } from "./engines.ts";

/** The files that this process has open, deleted ones included. */
function listOpenFiles(): string {
  const read = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  };
  return readdirSync("/proc/self/fd").map(read).join();
}

// One test in this file: from here on, this process counts as ending.
test("an interrupted backup stops, closes its journal and leaves no file", async (t) => {
  const path = join(makeFolder(t), "store.db");
  const db = await openStoreFile(t, path);
  // More pages than one step of the backup copies.
  const pets = Array(3_000).fill({ name: "x".repeat(200), categoryId: 1n, status: "sold" });
  await db.transaction((tx) => addPets(tx, pets, { atMs: 1 }));
  await db.close();

  const folder = makeFolder(t);
  const { promise: removed, resolve } = Promise.withResolvers<void>();
  let steps = 0;
  void backupSqlite(path, join(folder, "cut.db"), () => {
    steps += 1;
    assert.match(listOpenFiles(), /cut\.db\.\d+\.partial-journal/);
    resolve(removeTemporaryFiles());
  });
  await removed;
  assert.equal(steps, 1);
  assert.doesNotMatch(listOpenFiles(), /partial-journal/);
  assert.deepEqual(readdirSync(folder), []);
});
