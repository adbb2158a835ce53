// `doctor` on files that are no usable store, and the proof that it changes none.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { describePrivacy } from "../../src/cli/doctor/database.ts";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { findExposedFiles } from "../../src/storage/sqlite/rights.ts";
import { COMMAND } from "../../src/tools/program.ts";
import { NO_ENV_FILE } from "../harness/clients/commands.ts";
import { assertFinding, findAll, findOne } from "../harness/clients/findings.ts";
import { column } from "../harness/clients/pages.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { startNode } from "../harness/servers/node.ts";
import { mainCommand, runCommand } from "../harness/servers/service.ts";
import { makeServiceFolder, serviceUser } from "../harness/servers/service-folder.ts";
import { makeClosedStore } from "./stores.ts";

/** Overwrites all pages after the first. */
function damage(path: string): void {
  const bytes = Buffer.alloc(statSync(path).size - 4_096, 0xff);
  writeSync(openSync(path, "r+"), bytes, 0, bytes.length, 4_096);
}

test("doctor names the restore command for a damaged store, with the newest backup", async (t) => {
  const { folder, path, environment } = await makeClosedStore(t);
  damage(path);
  const without = await findOne(environment, "engine");
  const advice = /^Stop the service, then restore a backup \(none was found in a folder backups/;
  assertFinding(without, "fault", /store\.db is damaged: database disk image is malformed/, advice);
  assert.ok(without.mend.endsWith(`: ${COMMAND} restore FILE --force`), without.mend);

  const backups = join(folder, "backups");
  mkdirSync(backups);
  symlinkSync(join(folder, "removed.db"), join(backups, "link.db"));
  for (const [age, name] of ["my newest.db", "middle.db", "old.db", "oldest.db", "newest.txt"].entries()) {
    writeFileSync(join(backups, name), "");
    utimesSync(join(backups, name), 2_000_000 - age, 2_000_000 - age);
  }
  const { mend } = await findOne(environment, "engine");
  assert.ok(mend.endsWith(`: ${COMMAND} restore '${join(backups, "my newest.db")}' --force`), mend);
  assert.ok(mend.includes(`(older ones: ${join(backups, "middle.db")}, ${join(backups, "old.db")})`), mend);
  assert.doesNotMatch(mend, /oldest\.db|newest\.txt|link\.db/);
});

test("the command that closes a store to other users works for a path with spaces", (t) => {
  const path = join(makeFolder(t), "my store.db");
  writeFileSync(path, "", { mode: 0o600 });
  chmodSync(path, 0o644);
  assert.equal(describePrivacy(findExposedFiles(path))?.mend, `Run: chmod 600 '${path}'`);
});

test("doctor explains a path that is not a store", async (t) => {
  const folder = makeFolder(t);
  const look = (name: string) => findAll({ DATABASE_URL: `sqlite:${join(folder, name)}` });

  await t.test("doctor explains a folder", async () => {
    mkdirSync(join(folder, "folder"));
    const { engine, start } = await look("folder");
    const mend = /DATABASE_URL=sqlite:\S+\/folder\/animal-store\.db$/;
    assertFinding(engine, "fault", /folder is a folder, not a database$/, mend);
    assert.equal(start?.result, "fault");
  });

  await t.test("doctor explains a path through a file", async () => {
    writeFileSync(join(folder, "file"), "");
    const { writes } = await look("file/store.db");
    assertFinding(writes, "fault", /store\.db cannot be created: \S+\/file is not a folder$/);
  });

  await t.test("doctor explains a file of another kind", async () => {
    writeFileSync(join(folder, "letter.db"), "a letter ".repeat(1_000));
    const { engine } = await look("letter.db");
    const mend =
      /^Set DATABASE_URL to another file\. If this file was a store, it is damaged\. Stop .* restore FILE --force$/;
    assertFinding(engine, "fault", /letter\.db: the file is not a database/, mend);
  });

  await t.test("doctor explains a device", async () => {
    const { engine } = await findAll({ DATABASE_URL: "sqlite:/dev/null" });
    assertFinding(engine, "fault", "/dev/null is not a regular file");
  });

  await t.test("doctor explains a folder that the system does not create", async () => {
    const { writes, start } = await findAll({ DATABASE_URL: "sqlite:/proc/x/store.db" });
    const detail = /^the folder \/proc\/x cannot be created: E\w+: [a-z ]+$/;
    assertFinding(writes, "fault", detail, /^Set DATABASE_URL to /);
    assert.equal(start?.result, "fault");
  });

  await t.test("doctor accepts an empty file, which the next start fills", async () => {
    writeFileSync(join(folder, "empty.db"), "");
    chmodSync(join(folder, "empty.db"), 0o600);
    const found = await look("empty.db");
    assert.deepEqual(
      Object.values(found).filter((each) => each?.result === "fault"),
      [],
    );
    assert.match(found.schema?.detail ?? "", /^the database is empty/);
    assert.match(found.start?.detail ?? "", /^the next start creates the tables of schema \d+ in /);
  });
});

test("doctor reports a folder in which the store cannot be created, before the first start", async (t) => {
  const { home } = makeServiceFolder(t);
  chmodSync(home, 0o555);
  const environment = { DATABASE_URL: `sqlite:${home}/data/store.db`, PORT: "0" };
  const { stdout } = await runCommand(["doctor", "--json"], environment, "", serviceUser);
  const findings: Finding[] = JSON.parse(stdout);
  const [writes, start] = ["writes", "start"].map((check) => findings.find((each) => each.check === check));
  assert.equal(writes?.result, "fault");
  assert.match(writes?.detail ?? "", /cannot write the folder \S+home: it belongs to uid \d+, mode 0555$/);
  assert.match(writes?.mend ?? "", /^Run: chmod u\+rw \S+home$/);
  assert.match(start?.detail ?? "", /would not start, because of the faults? in: .*writes/);
});

/** Names, bytes and times of all files. The -shm file is memory that SQLite shares between processes, not data. */
function snapshot(folder: string) {
  const names = readdirSync(folder).sort();
  return names.map((name) => {
    const path = join(folder, name);
    if (name.endsWith("-shm")) return { name };
    return { name, sha256: hash("sha256", readFileSync(path)), mtimeMs: statSync(path).mtimeMs };
  });
}

test("doctor changes no file and creates none", async (t) => {
  const assertUnchanged = async (folder: string, environment: { DATABASE_URL: string }) => {
    const before = snapshot(folder);
    for (const deep of [false, true]) await findAll(environment, { deep });
    assert.deepEqual(snapshot(folder), before);
  };

  await t.test("doctor changes no store that is not served", async (t) => {
    const { folder, environment } = await makeClosedStore(t);
    await assertUnchanged(folder, environment);
  });

  await t.test("doctor does not apply the WAL that a killed service left", async (t) => {
    const { folder, path } = await makeClosedStore(t);
    const db = new SqliteConnection(path);
    db.exec("INSERT INTO schema_migrations VALUES (99, 'future', 0)");
    const copied = makeFolder(t);
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copied, name));
    db.close();
    const environment = { DATABASE_URL: `sqlite:${join(copied, "store.db")}` };
    assert.ok(statSync(join(copied, "store.db-wal")).size > 0);
    await assertUnchanged(copied, environment);
    assert.match((await findOne(environment, "schema")).detail, /^version 99/, "the WAL is read");
  });

  await t.test("doctor changes no store that is being served", async (t) => {
    const node = await startNode(t);
    const DATABASE_URL = node.environment.DATABASE_URL ?? "";
    await assertUnchanged(join(DATABASE_URL.slice("sqlite:".length), ".."), { DATABASE_URL });
    assert.equal((await node.call("GET", "/pets")).status, 200);
  });

  await t.test("doctor changes no empty file, no damaged store and no missing one", async (t) => {
    const { folder, path, environment } = await makeClosedStore(t);
    damage(path);
    writeFileSync(join(folder, "empty.db"), "");
    for (const name of ["store.db", "empty.db", "missing.db", "missing/folder.db"])
      await assertUnchanged(folder, { ...environment, DATABASE_URL: `sqlite:${join(folder, name)}` });
  });
});

test("doctor reports a read-only file system", async (t) => {
  if (process.getuid?.() !== 0) return t.diagnostic("not run as root: it cannot mount a file system");
  const { folder, environment } = await makeClosedStore(t);
  const mount = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`;
  const doctor = mainCommand(["doctor", "--json"]);
  const [program = "", ...words] = ["unshare", "-m", "sh", "-c", mount, folder, ...doctor];
  const { stdout, stderr } = spawnSync(program, words, {
    env: { ...process.env, ...NO_ENV_FILE, ...environment, PORT: "0" },
    encoding: "utf8",
  });
  const findings: Finding[] = JSON.parse(stdout || assert.fail(stderr));
  const faults = findings.filter(({ result }) => result === "fault");
  assert.deepEqual(column(faults, "check"), ["engine", "disk", "start"]);
  for (const { check, detail, mend } of faults.slice(0, 2)) assert.match(detail + mend, /read-only/, check);
});
