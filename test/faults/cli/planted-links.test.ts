// Symbolic links in the folder of a store or a file: no command writes through one.

import assert from "node:assert/strict";
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { partialOf, writeAtomically } from "../../../src/files/atomic-file.ts";
import { refuseOtherOwner } from "../../../src/files/folder-owner.ts";
import { migrate } from "../../../src/storage/migrations/migrate.ts";
import { backupSqlite } from "../../../src/storage/sqlite/backup.ts";
import { openSqlite } from "../../../src/storage/sqlite/engine.ts";
import { restoreSqlite } from "../../../src/storage/sqlite/restore.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { isRoot } from "../../harness/servers/service-folder.ts";

interface Scene {
  home: string;
  outside: string;
  path: string;
  backup: string;
}

/** A store and a backup of it in one folder, and another folder that must not change. */
async function makeScene(t: TestContext): Promise<Scene> {
  const folder = makeFolder(t);
  const [home, outside] = [join(folder, "home"), join(folder, "outside")];
  for (const each of [home, outside]) mkdirSync(each);
  const [path, backup] = [join(home, "store.db"), join(folder, "backup.db")];
  const db = openSqlite(path);
  await migrate(db, 0);
  await db.close();
  await backupSqlite(path, backup, () => {});
  return { home, outside, path, backup };
}

/** Plants a link, runs `work`, and looks whether anything outside has changed. */
async function assertHarmless(
  { home, outside }: Scene,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  for (const target of ["precious", "missing"]) {
    writeFileSync(join(outside, "precious"), "precious");
    const link = join(home, name);
    if (existsSync(link)) renameSync(link, `${link}.aside`);
    symlinkSync(join(outside, target), link);
    // It may succeed or fail, but must change nothing outside.
    const outcome = await work().then(
      () => "done",
      (error: Error) => error.message,
    );
    assert.deepEqual(readdirSync(outside), ["precious"], `${name} → ${target}: ${outcome}`);
    assert.equal(readFileSync(join(outside, "precious"), "utf8"), "precious", `${name} → ${target}`);
    rmSync(link, { force: true });
    if (existsSync(`${link}.aside`)) renameSync(`${link}.aside`, link);
  }
}

const STORE_FILES = ["store.db-serving", "store.db-wal", "store.db-shm", "store.db-journal"];
const RESTORE_FILES = ["", "-wal", "-shm", "-journal"].flatMap((end) => [
  `store.db.restoring${end}`,
  `store.db.before-restore${end}`,
]);
for (const name of [...STORE_FILES, ...RESTORE_FILES])
  test(`restore does not write through the link ${name}`, async (t) => {
    const scene = await makeScene(t);
    const options = { force: true, unsealed: false };
    await assertHarmless(scene, name, () => restoreSqlite(scene.backup, scene.path, options));
  });

for (const name of STORE_FILES)
  test(`opening a store does not write through the link ${name}`, async (t) => {
    const scene = await makeScene(t);
    await assertHarmless(scene, name, async () => {
      const db = openSqlite(scene.path, { serving: true });
      try {
        await migrate(db, 0);
      } finally {
        await db.close();
      }
    });
  });

for (const end of ["", ".partial", ".partial-journal", ".partial-wal"])
  test(`export and backup do not write through a link at their file${end}`, async (t) => {
    const scene = await makeScene(t);
    const target = join(scene.home, "copy.db");
    const name = end === "" ? "copy.db" : `copy.db.${process.pid}${end}`;
    assert.equal(partialOf("copy.db"), `copy.db.${process.pid}.partial`, "the name in use");
    await assertHarmless(scene, name, () => backupSqlite(scene.path, target, () => {}));
    await assertHarmless(scene, name, () => writeAtomically(target, (file) => file.appendFile("animals")));
  });

test("a store that is reached through a link has the same serving lock", async (t) => {
  const { home, outside } = await makeScene(t);
  symlinkSync(outside, join(home, "data"));
  const db = openSqlite(join(home, "data", "store.db"), { serving: true });
  assert.throws(() => openSqlite(join(outside, "store.db"), { serving: true }), /already serves/);
  await db.close();
});

/** Each way on which another user could redirect root; each returns a path. */
const REDIRECTIONS: Record<string, (folder: string, give: (path: string) => void) => string> = {
  "in another user's folder": (folder, give) => {
    give(folder);
    return join(folder, "store.db");
  },
  "in root's folder below another user's": (folder, give) => {
    mkdirSync(join(folder, "data"));
    give(folder);
    return join(folder, "data", "store.db");
  },
  "through another user's link": (folder, give) => {
    mkdirSync(join(folder, "data"));
    symlinkSync(join(folder, "data"), join(folder, "link"));
    give(join(folder, "link"));
    return join(folder, "link", "store.db");
  },
  "through root's link to another user's folder": (folder, give) => {
    mkdirSync(join(folder, "data"));
    symlinkSync("data", join(folder, "link"));
    give(join(folder, "data"));
    return join(folder, "link", "new", "store.db");
  },
};
for (const [what, make] of Object.entries(REDIRECTIONS))
  test(`root refuses a path ${what}`, (t) => {
    if (!isRoot) return t.diagnostic("not run as root: there is no other user");
    const path = make(makeFolder(t), (each) => lchownSync(each, 12_345, 12_346));
    assert.throws(
      () => refuseOtherOwner(path),
      /belongs to uid 12345.* setpriv --reuid=12345 --regid=1234[56] /,
    );
  });

test("root may use its own folders, also through its own links", (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "data"));
  symlinkSync("data", join(folder, "link"));
  writeFileSync(join(folder, "data", "store.db"), "");
  // The owner of a file in root's folder does not matter.
  if (isRoot) chownSync(join(folder, "data", "store.db"), 12_345, 12_346);
  for (const name of ["store.db", "link/store.db", "data/new/store.db"]) refuseOtherOwner(join(folder, name));
  symlinkSync("loop", join(folder, "loop"));
  if (isRoot) assert.throws(() => refuseOtherOwner(join(folder, "loop")), /too many symbolic links/);
});
