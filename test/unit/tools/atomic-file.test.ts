// Files written atomically: private, synced before they get their name, and their folder synced after.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { partialOf, writeAtomically } from "../../../src/files/atomic-file.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { recordSyncs } from "./syncs.ts";

test("syncs the file before the rename and the folder after it", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "animals.csv");
  const syncs = await recordSyncs(t, path);
  await writeAtomically(path, (file) => file.appendFile("animals"));
  assert.deepEqual(syncs, [
    { path: partialOf(path), isPublished: false },
    { path: folder, isPublished: true },
  ]);
});

test("creates files that only their owner can read, whatever the umask", async (t) => {
  const path = join(makeFolder(t), "animals.csv");
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  await writeAtomically(path, (file) => file.appendFile("animals"));
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("keeps the existing file and leaves nothing else when the work fails", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "animals.csv");
  writeFileSync(path, "old");
  const failing = writeAtomically(path, async (file) => {
    await file.appendFile("half of it");
    throw new Error("no");
  });
  await assert.rejects(failing, /no/);
  assert.equal(readFileSync(path, "utf8"), "old");
  assert.deepEqual(readdirSync(folder), ["animals.csv"]);
});
