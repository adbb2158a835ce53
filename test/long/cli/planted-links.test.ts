// Symbolic links in the service's folder: no command writes through one, root's commands included.

import assert from "node:assert/strict";
import {
  chmodSync,
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
import {
  partialOf,
  removeInSteps,
  withTemporaryFiles,
  writeAtomically,
} from "../../../src/files/atomic-file.ts";
import { asOwnerOf } from "../../../src/files/folder-owner.ts";
import { removeTemporaryFiles } from "../../../src/files/temporary-files.ts";
import { migrate } from "../../../src/storage/migrations/migrate.ts";
import { backupSqlite } from "../../../src/storage/sqlite/backup.ts";
import { openSqlite } from "../../../src/storage/sqlite/engine.ts";
import { restoreSqlite } from "../../../src/storage/sqlite/restore.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { isRoot, makeServiceFolder, type ServiceFolder } from "../../harness/servers/service-folder.ts";

/** Larger than one step in which large files are freed. */
const PRECIOUS = Buffer.alloc(5 * 2 ** 20, "precious ");

interface Scene extends ServiceFolder {
  path: string;
  backup: string;
}

/** A store in the service's folder, and a backup of it that only the user of the tests may read. */
async function makeScene(t: TestContext): Promise<Scene> {
  const place = makeServiceFolder(t);
  const path = join(place.home, "store.db");
  const db = openSqlite(path);
  await migrate(db, 0);
  await db.close();
  const vault = join(place.outside, "..", "vault");
  mkdirSync(vault, { mode: 0o700 });
  const backup = join(vault, "backup.db");
  await backupSqlite(path, backup, () => {});
  return { ...place, path, backup };
}

/** Plants a link as the service's user would, runs `work`, and looks whether anything outside has changed. */
async function assertHarmless(scene: Scene, name: string, work: () => Promise<unknown>): Promise<void> {
  const { home, outside, user } = scene;
  for (const target of ["precious", "missing"]) {
    writeFileSync(join(outside, "precious"), PRECIOUS);
    const link = join(home, name);
    if (existsSync(link)) renameSync(link, `${link}.aside`);
    symlinkSync(join(outside, target), link);
    if (isRoot) lchownSync(link, user.uid, user.gid);
    // It may succeed or fail, but must change nothing outside.
    const outcome = await work().then(
      () => "done",
      (error: Error) => error.message,
    );
    assert.deepEqual(readdirSync(outside), ["precious"], `${name} → ${target}: ${outcome}`);
    assert.ok(readFileSync(join(outside, "precious")).equals(PRECIOUS), `${name} → ${target}`);
    await removeInSteps(link);
    if (existsSync(`${link}.aside`)) renameSync(`${link}.aside`, link);
  }
}

const STORE_FILES = ["store.db-serving", "store.db-wal", "store.db-shm", "store.db-journal"];
const RESTORE_FILES = ["", "-wal", "-shm", "-journal"].flatMap((end) => [
  `store.db.restoring${end}`,
  `store.db.before-restore${end}`,
]);

test("restore writes through no link in the store's folder, also where its owner cannot reach it", async (t) => {
  for (const name of [...STORE_FILES, ...RESTORE_FILES]) {
    await t.test(name, async () => {
      const scene = await makeScene(t);
      const options = { force: true, unsealed: false };
      const restore = () => restoreSqlite(scene.backup, scene.path, options);
      await assertHarmless(scene, name, restore);
      chmodSync(join(scene.home, ".."), 0o700);
      await assertHarmless(scene, name, restore);
    });
  }
});

test("opening a store writes through no link in its folder", async (t) => {
  // A user may choose their own file as the store, so the link store.db is tested as root only.
  for (const name of [...STORE_FILES, ...(isRoot ? ["store.db"] : [])]) {
    await t.test(name, async () => {
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
  }
});

test("export and backup write through no link in the folder of their file", async (t) => {
  const { pid } = process;
  const files = ["", `.${pid}.replaced`, `.${pid}.partial`, `.${pid}.partial-journal`, `.${pid}.partial-wal`];
  for (const name of files.map((end) => `copy.db${end}`)) {
    await t.test(name, async () => {
      const scene = await makeScene(t);
      const target = join(scene.home, "copy.db");
      await assertHarmless(scene, name, () => backupSqlite(scene.path, target, () => {}));
      await assertHarmless(scene, name, () => writeAtomically(target, (file) => file.appendFile("animals")));
    });
  }
  assert.match(partialOf("copy.db"), new RegExp(`^copy\\.db\\.${pid}\\.partial$`), "the names in use");
});

test("restore by command leaves a planted file alone, and the store to its user", async (t) => {
  const { home, outside, path, backup, user } = await makeScene(t);
  for (const end of [".restoring", ".before-restore", "-shm"]) {
    symlinkSync(join(outside, `made-by-restore${end}`), `${path}${end}`);
    if (isRoot) lchownSync(`${path}${end}`, user.uid, user.gid);
  }
  const result = await runInHost(["restore", backup, "--force"], { DATABASE_URL: `sqlite:${path}` });
  assert.deepEqual(readdirSync(outside), [], result.stderr);
  assert.ok(readdirSync(home).includes("store.db"));
});

test("a folder reached through a link is written with the rights of the link's owner", async (t) => {
  const { home, outside, user } = makeServiceFolder(t);
  if (!isRoot) {
    t.diagnostic(
      "not run as root: there is no folder of another user to protect, so only the path is checked",
    );
    symlinkSync(outside, join(home, "data"));
    const db = openSqlite(join(home, "data", "store.db"), { serving: true });
    assert.throws(() => openSqlite(join(outside, "store.db"), { serving: true }), /already serves/);
    await db.close();
    return;
  }
  symlinkSync(outside, join(home, "data"));
  lchownSync(join(home, "data"), user.uid, user.gid);
  const environment = { DATABASE_URL: `sqlite:${home}/data/store.db` };
  const result = await runInHost(["migrate"], environment);
  assert.deepEqual([result.code, readdirSync(outside)], [1, []]);
  chownSync(outside, user.uid, user.gid);
  assert.equal((await runInHost(["migrate"], environment)).code, 0);
});

test("root acts as the owner of a folder above, who could replace root's folder", async (t) => {
  const { home, user } = makeServiceFolder(t);
  if (!isRoot) t.diagnostic("not run as root: everything runs as the user of the tests");
  const folder = join(home, "data");
  mkdirSync(folder, { mode: 0o755 });
  assert.equal(
    asOwnerOf(join(folder, "store.db"), () => process.geteuid?.()),
    user.uid,
  );
  if (!isRoot) return;
  const result = await runInHost(["migrate"], { DATABASE_URL: `sqlite:${folder}/store.db` });
  assert.deepEqual([result.code, readdirSync(folder)], [1, []]);
  assert.match(result.stderr, /cannot write the folder \S+: it belongs to root.* Run as root: chown /);
});

test("opens the path that was checked, even if a link changes afterwards", (t) => {
  const { home, outside } = makeServiceFolder(t);
  const link = join(home, "data");
  symlinkSync(outside, link);
  const opened = asOwnerOf(join(link, "store.db"), (path) => {
    rmSync(link);
    symlinkSync("/etc", link);
    return path;
  });
  assert.equal(opened, join(outside, "store.db"));
});

test("leftovers are deleted with the rights of the folder's owner, also folders and at a signal", async (t) => {
  const { home } = makeServiceFolder(t);
  const planted = join(home, "copy.db.1.partial");
  mkdirSync(planted, { mode: 0o755 });
  writeFileSync(join(planted, "precious"), "");
  if (!isRoot) {
    t.diagnostic("not run as root: there is nothing that the owner may not remove");
    await removeInSteps(planted);
    return assert.deepEqual(readdirSync(home), []);
  }
  await assert.rejects(removeInSteps(planted), { code: "EACCES" });
  const atSignal = withTemporaryFiles([planted], async () => removeTemporaryFiles());
  await assert.rejects(atSignal, { code: "EACCES" });
  assert.ok(existsSync(join(planted, "precious")));
});
