// `backup FOLDER --keep N`: names backups by time and deletes only the oldest sealed backups of the same store.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { nameBackup, removeOldBackups } from "../../../src/storage/sqlite/backup-folder.ts";
import { fillStore, makeStore, type TestStore } from "../../cli/stores.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { mainCommand, runCommand } from "../../harness/servers/service.ts";

/** More than the file size that the test of a full disk allows. */
const ANIMALS = 2_000;

interface Scene extends TestStore {
  backups: string;
  /** Copies a sealed backup to this name. */
  plant(name: string): string;
  list(): string[];
}

async function makeScene(t: TestContext): Promise<Scene> {
  const store = await makeStore(t);
  await fillStore(store.db, ANIMALS);
  const backups = join(store.folder, "backups");
  const sealed = join(store.folder, "sealed.db");
  const made = await store.command("backup", sealed);
  assert.equal(made.code, 0, made.stderr);
  mkdirSync(backups);
  const plant = (name: string) => {
    copyFileSync(sealed, join(backups, name));
    return join(backups, name);
  };
  return { ...store, backups, plant, list: () => readdirSync(backups).sort() };
}

const day = (number: number) => `store-2020-01-0${number}T030000Z.db`;

test("a backup in a folder has the name of the store and the time", async (t) => {
  assert.equal(
    nameBackup("backups", "data/animal-store.db", Date.UTC(2026, 10, 15, 3, 0, 9)),
    join("backups", "animal-store-2026-11-15T030009Z.db"),
  );
  const { command, folder } = await makeStore(t);
  const made = await command("backup", `${folder}/backups/`, "--json");
  assert.equal(made.code, 0, made.stderr);
  const [name = ""] = readdirSync(join(folder, "backups"));
  assert.match(name, /^store-20\d\d-\d\d-\d\dT\d{6}Z\.db$/);
  const report = JSON.parse(made.stdout);
  assert.deepEqual([report.file, report.deleted], [join(folder, "backups", name), []]);
  assert.equal(statSync(join(folder, "backups")).mode & 0o777, 0o700);
  const restored = await runInHost(["restore", report.file], { DATABASE_URL: `sqlite:${folder}/new.db` });
  assert.equal(restored.code, 0, restored.stderr);
});

test("--if-changed makes a copy after every change, and none after requests; the newest copy has all of them", async (t) => {
  const { command, backups, db, list, environment, folder } = await makeScene(t);
  const copy = async () => {
    const made = await command("backup", `${backups}/`, "--if-changed", "--json");
    assert.equal(made.code, 0, made.stderr);
    const { file, isCopied = true } = JSON.parse(made.stdout);
    return { file, isCopied };
  };
  const first = await copy();
  assert.deepEqual([first.isCopied, list().length], [true, 1]);
  // The names have seconds: the next copies need another.
  let newest = join(backups, day(1));
  renameSync(first.file, newest);
  await db.transaction(async (tx) => {
    await tx.all("INSERT INTO usage_writers VALUES ('x', 1, 1) RETURNING id");
    await tx.all("INSERT INTO key_counts VALUES (1, 1, 1, 1, 1, 0, 0, 0, 0, 0) RETURNING key_id");
  });
  assert.deepEqual(await copy(), { file: newest, isCopied: false });
  const text = await command("backup", backups, "--if-changed");
  assert.equal(text.stdout, `Nothing has changed since ${newest}; no copy was made.\n`);

  const run = async (...words: string[]) => {
    const changed = await command(...words);
    assert.equal(changed.code, 0, changed.stderr);
  };
  const changes: Record<string, () => Promise<void>> = {
    "an animal": () => fillStore(db, 1),
    "a key": () => run("keys", "create", "--name", "x", "--plan", "free"),
    "a shelter": () => run("shelters", "update", "1", "--name", "Paws"),
  };
  let number = 2;
  for (const [what, change] of Object.entries(changes)) {
    await change();
    const made = await copy();
    assert.equal(made.isCopied, true, what);
    newest = join(backups, day(number++));
    renameSync(made.file, newest);
    assert.deepEqual(await copy(), { file: newest, isCopied: false }, what);
  }

  const target = { DATABASE_URL: `sqlite:${folder}/restored.db` };
  assert.equal((await runInHost(["restore", newest], target)).code, 0);
  // A restore begins a new epoch.
  const shown = async (words: string[], store: { DATABASE_URL: string }) =>
    (await runInHost([...words, "--json"], store)).stdout.replaceAll(/evt_[0-9a-f]+/g, "evt");
  for (const words of [["keys", "list"], ["shelters", "show", "1"], ["events"]])
    assert.equal(await shown(words, target), await shown(words, environment), words.join(" "));

  truncateSync(newest, 50_000);
  assert.equal((await copy()).isCopied, true, "a damaged copy does not count");
});

test("--keep deletes the oldest backups and reports them", async (t) => {
  const { command, backups, plant, list } = await makeScene(t);
  for (const number of [3, 1, 2, 4]) plant(day(number));
  const json = await command("backup", backups, "--keep", "3", "--json");
  assert.equal(json.code, 0, json.stderr);
  const { file, deleted } = JSON.parse(json.stdout);
  assert.deepEqual(deleted, [join(backups, day(1)), join(backups, day(2))]);
  assert.deepEqual(
    list().map((name) => join(backups, name)),
    [join(backups, day(3)), join(backups, day(4)), file],
  );
  plant(day(1));
  const text = await command("backup", backups, "--keep", "1", "--force");
  assert.match(text.stdout, new RegExp(`\nDeleted old backups: ${day(1)}, ${day(3)}, ${day(4)}[,.]`));
  assert.equal(list().length, 1);
});

test("--keep neither counts nor deletes files that only look like backups of this store", async (t) => {
  const { command, backups, folder, plant, list } = await makeScene(t);
  const foreign = [
    "animal-store-2020-01-01T030000Z.db",
    "store-2-2020-01-01T030000Z.db",
    "store.db",
    "Store-2020.db",
    "store-2020-01-01T030000Z.db.bak",
    "store-2020-01-01.db",
    "my-store-2020-01-01T030000Z.db",
  ];
  for (const name of foreign) plant(name);
  writeFileSync(join(backups, day(1)), "not a backup");
  truncateSync(plant(day(2)), 4096);
  mkdirSync(join(backups, day(3)));
  const precious = join(folder, "precious.db");
  copyFileSync(join(folder, "sealed.db"), precious);
  symlinkSync(precious, join(backups, day(4)));
  const before = list();
  plant(day(5));
  const made = await command("backup", backups, "--keep", "1", "--json");
  assert.equal(made.code, 0, made.stderr);
  const { file, deleted } = JSON.parse(made.stdout);
  assert.deepEqual(deleted, [join(backups, day(5))]);
  assert.deepEqual(
    list().filter((name) => join(backups, name) !== file),
    before,
  );
  assert.ok(existsSync(precious));
});

test("--keep keeps the new backup when the clock was set back", async (t) => {
  const { command, backups, plant, list } = await makeScene(t);
  plant("store-2098-01-01T030000Z.db");
  plant("store-2099-01-01T030000Z.db");
  const { file } = JSON.parse((await command("backup", backups, "--keep", "2", "--json")).stdout);
  assert.deepEqual(
    list().map((name) => join(backups, name)),
    [file, join(backups, "store-2099-01-01T030000Z.db")],
  );
});

test("a backup that fails for lack of space deletes nothing and leaves no file", async (t) => {
  const { environment, backups, plant, list } = await makeScene(t);
  for (const number of [1, 2]) plant(day(number));
  const words = mainCommand(["backup", backups, "--keep", "1"]);
  // Blocks of 512 bytes. Node ignores the signal for a file that is too large, and the write fails.
  const limited = ["-c", 'ulimit -f 64; exec "$0" "$@"', ...words];
  const child = spawn("sh", limited, { env: { PATH: process.env.PATH, ...environment } });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  assert.deepEqual(await once(child, "close"), [1, null]);
  assert.match(stderr, /The backup failed: .*\. Check the disk of /);
  assert.deepEqual(list(), [day(1), day(2)]);
});

test("backups at the same time all succeed and leave the newest", async (t) => {
  const { environment, backups, plant, list } = await makeScene(t);
  for (const number of [1, 2, 3, 4, 5]) plant(day(number));
  // --force: two of them may begin in the same second and have the same name.
  const words = ["backup", backups, "--keep", "2", "--force", "--json"];
  const results = await Promise.all([1, 2, 3].map(() => runCommand(words, environment)));
  for (const { code, stderr } of results) assert.equal(code, 0, stderr);
  const files = results.map(({ stdout }) => JSON.parse(stdout).file as string);
  const left = list().map((name) => join(backups, name));
  assert.ok(left.includes(files.toSorted().at(-1) as string));
  assert.ok(left.length <= 2);
  const deleted = results.flatMap(({ stdout }) => JSON.parse(stdout).deleted as string[]);
  assert.equal(new Set(deleted).size, deleted.length, "each file is deleted by one of them");
});

test("of several that delete the same backups at the same moment, one reports each of them", async (t) => {
  const { plant } = await makeScene(t);
  const [one, two, three, newest] = [1, 2, 3, 4].map((number) => plant(day(number)));
  const all = await Promise.all([1, 2, 3].map(() => removeOldBackups(newest as string, "store.db", 1)));
  assert.deepEqual(all.flat().toSorted(), [one, two, three]);
});

test("the next backup deletes the partial file of a killed one, whatever its time", async (t) => {
  const { command, backups, list } = await makeScene(t);
  // No process has this id: it is above the largest one of Linux.
  for (const name of [`${day(1)}.4194399.partial`, `${day(2)}.4194399.replaced`, "notes.4194399.partial"])
    writeFileSync(join(backups, name), "x");
  assert.equal((await command("backup", backups)).code, 0);
  assert.deepEqual(list().slice(0, -1), ["notes.4194399.partial"]);
});

test("a link with the name of a backup is neither deleted nor followed", async (t) => {
  const { command, backups, folder, list } = await makeScene(t);
  const sealed = join(folder, "sealed.db");
  const before = readFileSync(sealed);
  symlinkSync(sealed, join(backups, day(1)));
  assert.equal((await command("backup", backups, "--keep", "1")).code, 0);
  assert.equal(list()[0], day(1));
  assert.ok(readFileSync(sealed).equals(before));
});

test("a wrong folder or number is refused with advice", async (t) => {
  const { command, folder } = await makeStore(t);
  const file = join(folder, "notes.txt");
  writeFileSync(file, "");
  const refusals: Array<[string[], number, RegExp]> = [
    [[file, "--keep", "2"], 1, /notes\.txt is not a folder\. Give the path of a folder\./],
    [[join(folder, "a/b/")], 1, /There is no folder \S+a\. Create it first\./],
    [[join(folder, "a.db"), "--keep", "2"], 2, /--keep needs a folder\. If a\.db is one, write a\.db\//],
    [[join(folder, "a.db"), "--if-changed"], 2, /--if-changed needs a folder, such as backups\//],
    [[folder, "--keep", "0"], 2, /--keep must be a whole number from 1 to /],
    [[folder, "--keep", "all"], 2, /--keep must be a whole number from 1 to /],
  ];
  for (const [args, code, says] of refusals) {
    const result = await command("backup", ...args);
    assert.deepEqual([result.code, says.test(result.stderr)], [code, true], result.stderr);
  }
});
