// `backup` under write load and `restore`: no acknowledged write is missing, and no damaged file is accepted.

import assert from "node:assert/strict";
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import SqliteConnection from "better-sqlite3";
import { SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { restoreSqlite } from "../../src/storage/sqlite/restore.ts";
import { COMMAND } from "../../src/tools/program.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { type Service, startCommand, startService } from "../harness/servers/service.ts";
import { fillStore, makeStore, type TestStore } from "./stores.ts";

const ADMIN_API_KEY = "an-admin-key-for-all-stores";
const WRITERS = 8;
const SEAL_BYTES = 94;
const LETTER = "a letter ".repeat(1_000);

interface Load {
  /** Every animal with a 201 response, by id. */
  acknowledged: Map<number, string>;
  longestMs(): number;
  stop(): Promise<void>;
}

/** Clients that add animals until they are stopped. */
function startLoad({ call }: Service): Load {
  const acknowledged = new Map<number, string>();
  const agent = new http.Agent({ keepAlive: true, maxSockets: WRITERS });
  let isOver = false;
  let longestMs = 0;
  const write = async (writer: number) => {
    for (let i = 0; !isOver; i++) {
      const name = `writer ${writer} number ${i}`;
      const beganMs = performance.now();
      const answer = await call("POST", "/pets", { body: { name, categoryId: writer }, agent });
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      assert.equal(answer.status, 201, answer.text);
      acknowledged.set(answer.json.id, name);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  return {
    acknowledged,
    longestMs() {
      const longest = longestMs;
      longestMs = 0;
      return longest;
    },
    async stop() {
      isOver = true;
      await Promise.all(writers);
      agent.destroy();
    },
  };
}

function execute(path: string, sql: string): void {
  const db = new SqliteConnection(path);
  db.exec(sql);
  db.close();
}

function filesOf(folder: string, start: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .sort();
}

function readNames(path: string): Map<number, string> {
  const db = new SqliteConnection(path, { readonly: true });
  const rows = db.prepare("SELECT id, name FROM pets ORDER BY id").raw().all() as Array<[number, string]>;
  db.close();
  return new Map(rows);
}

test("a backup under write load holds every write acknowledged before it, and can be restored", async (t) => {
  const store = await makeStore(t);
  const { readJson, folder, environment } = store;
  // Enough pages for a copy in many steps.
  await fillStore(store.db, 30_000);
  const service = await startService(t, { ...environment, ADMIN_API_KEY });
  const load = startLoad(service);
  while (load.acknowledged.size < 200) await service.call("GET", "/pets");
  t.diagnostic(`the longest write before the backup took ${Math.round(load.longestMs())} ms`);

  const before = new Map(load.acknowledged);
  const file = join(folder, "backup.db");
  const report = await readJson("backup", file);
  t.diagnostic(`the longest write during the backup took ${Math.round(load.longestMs())} ms`);
  await load.stop();
  t.diagnostic(
    `${before.size} acknowledged before, ${load.acknowledged.size} in all, ${report.counts.animals - 30_000} in the backup`,
  );
  assert.equal(report.schemaVersion, SCHEMA_VERSION);
  assert.equal(report.counts.history, report.counts.animals);
  assert.deepEqual(filesOf(folder, "backup"), ["backup.db"]);

  const target = join(folder, "elsewhere", "restored.db");
  const restored = await commandsIn({ DATABASE_URL: `sqlite:${target}` }).readJson("restore", file);
  assert.deepEqual(restored.counts, report.counts);
  const names = readNames(target);
  const lost = [...before].filter(([id, name]) => names.get(id) !== name);
  assert.deepEqual(lost, [], "every write acknowledged before is there");
  assert.deepEqual(
    [...names.keys()],
    Array.from({ length: names.size }, (_, i) => i + 1),
    "without a gap",
  );
  const other = [...names].filter(
    ([id, name]) => id > 30_000 && (load.acknowledged.get(id) ?? name) !== name,
  );
  assert.deepEqual(other, [], "and nothing else");

  const again = await startService(t, { DATABASE_URL: `sqlite:${target}`, ADMIN_API_KEY });
  const created = await again.call("POST", "/pets", { body: { name: "Next", categoryId: 1 } });
  assert.equal(created.json.id, names.size + 1);
});

/** A store with a few animals, and its backup. */
async function makeBackup(t: TestContext): Promise<TestStore & { file: string; path: string }> {
  const store = await makeStore(t);
  await fillStore(store.db, 500);
  const file = join(store.folder, "backup.db");
  // In another process: closing a file here would release the locks of `store.db` on it.
  await store.readOutput("backup", file);
  return { ...store, file, path: join(store.folder, "store.db") };
}

/** A backup, a copy of it to change, and a restore of that copy to a new store. */
async function makeDamaged(t: TestContext) {
  const { file, folder } = await makeBackup(t);
  const [damaged, target] = [join(folder, "damaged.db"), join(folder, "new.db")];
  const restore = (unsealed = false) => restoreSqlite(damaged, target, { force: false, unsealed });
  return { bytes: readFileSync(file), folder, damaged, target, restore };
}

test("restore refuses a damaged backup", async (t) => {
  const { bytes, damaged, target, restore } = await makeDamaged(t);

  const flips = {
    "its header": 20,
    "the letter of a name": bytes.indexOf("Luna") + 1,
    "a page in the middle": Math.floor(bytes.length / 8192) * 4096 + 5,
    "its last page": bytes.length - 200,
    "its seal": bytes.length - 10,
  };
  for (const [place, at] of Object.entries(flips)) {
    await t.test(`restore refuses a changed bit in ${place}`, async () => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(damaged, changed);
      await assert.rejects(restore(), /^Error: \S+damaged\.db (is damaged|has no seal at its end): /);
      assert.deepEqual([existsSync(target), existsSync(`${target}.restoring`)], [false, false]);
    });
  }

  const content = bytes.length - SEAL_BYTES;
  for (const left of [0, 100, 4096, content - 4096, content, bytes.length - 1]) {
    await t.test(`restore refuses ${left} of ${bytes.length} bytes`, async () => {
      writeFileSync(damaged, bytes.subarray(0, left));
      const reason = left === 0 ? "it is empty" : `it is cut off after ${left} of \\d+ bytes`;
      const says =
        left >= content
          ? "Restore a copy of another tool with --unsealed"
          : `${reason}\\. Use another backup`;
      await assert.rejects(restore(), new RegExp(`has no seal at its end: .*${says}\\.$`));
      assert.equal(existsSync(target), false);
    });
  }
});

test("restore refuses a file that is no store of this release, even with --unsealed", async (t) => {
  const { bytes, damaged, target, restore } = await makeDamaged(t);
  const bare = bytes.subarray(0, bytes.length - SEAL_BYTES);
  const page = Math.floor(bare.length / 8192) * 4096;
  const cases: Array<[content: Buffer | string, sql: string, says: RegExp]> = [
    [LETTER, "", /is damaged: file is not a database/],
    [Buffer.from(bare).fill(0, page, page + 4096), "", /damaged\.db is damaged: /],
    ["", "CREATE TABLE letters (text)", /is a database, but not one of this service/],
    [
      bare,
      "INSERT INTO schema_migrations VALUES (99, 'future', 0)",
      /has schema 99; this release knows up to/,
    ],
  ];
  for (const [content, sql, says] of cases) {
    writeFileSync(damaged, content);
    if (sql !== "") execute(damaged, sql);
    await assert.rejects(restore(true), says);
  }
  writeFileSync(damaged, LETTER);
  await assert.rejects(restore(), /: it is not a SQLite database\. Use another backup\.$/);
  assert.equal(existsSync(target), false);
});

test("restore accepts a sound copy of another tool only with --unsealed", async (t) => {
  const { damaged, folder, target } = await makeDamaged(t);
  execute(join(folder, "store.db"), `VACUUM INTO '${damaged}'`);
  const { assertRefused, readOutput } = commandsIn({ DATABASE_URL: `sqlite:${target}` });
  const unsealed = /^animal-store: \S+damaged\.db has no seal at its end: .*\n$/;
  await assertRefused(["restore", damaged], unsealed);
  await readOutput("restore", damaged, "--unsealed");
  assert.equal(readNames(target).size, 500);
});

test("restore of a folder names the newest backup in it", async (t) => {
  const backups = makeFolder(t);
  const run = (store: string) =>
    commandsIn({ DATABASE_URL: `sqlite:${store}` }).assertRefused(["restore", backups], /is a folder\./);
  const target = join(backups, "..", "new.db");
  assert.match((await run(target)).stderr, /\S+ is a folder\. It has no backup: /);
  const [newest, old] = [join(backups, "newest.db"), join(backups, "old.db")];
  for (const [age, path] of [newest, old].entries()) {
    writeFileSync(path, "");
    utimesSync(path, 2_000_000 - age, 2_000_000 - age);
  }
  // The store itself is no backup.
  for (const [store, named] of [[target, newest] as const, [newest, old] as const]) {
    const { stderr } = await run(store);
    assert.ok(stderr.endsWith(`: ${COMMAND} restore ${named}\n`), stderr);
  }
});

test("an interrupted backup leaves no file", async (t) => {
  const { db, folder, environment } = await makeStore(t);
  // Enough pages for a copy in many steps.
  await fillStore(db, 20_000);
  const { child, ended } = startCommand(["backup", join(folder, "cut.db")], environment);
  const parts = () => filesOf(folder, "cut.db");
  while (parts().length === 0) await nextTick();
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
  assert.deepEqual(parts(), []);
});

test("restore replaces a store only with --force, and only if no process uses it", async (t) => {
  const { file, path, environment, command, readOutput, assertRefused, db, folder } = await makeBackup(t);
  const restore = (...flags: string[]) => command("restore", file, ...flags);
  const force = ["restore", file, "--force"];
  await fillStore(db, 7);

  await t.test("restore refuses a store that is being served", async () => {
    const service = await startService(t, { ...environment, ADMIN_API_KEY });
    await assertRefused(force, /Another process already serves/);
    assert.equal((await service.call("GET", "/store/inventory")).status, 200);
    await service.stop();
  });

  await t.test("restore refuses a store that another process has open, and one that holds data", async () => {
    await assertRefused(force, /Another process still has \S+ open\. End it/);
    assert.equal((await db.first("SELECT count(*) AS n FROM pets"))?.n, 507n);
    await db.close();
    const filled = /is a store already \(animals 507, history 507\)\. Replace it with --force/;
    await assertRefused(["restore", file], filled);
    assert.equal(readNames(path).size, 507);
  });

  await t.test("restore --force replaces a store, and keeps every replaced one", async () => {
    const output = await readOutput(...force);
    const restored = `\nRestored to \\S+store\\.db, schema ${SCHEMA_VERSION}\\. Start the service\\.\n`;
    assert.match(output, new RegExp(restored));
    assert.match(output, /\nThe old store is kept as \S+store\.db\.before-restore\.\n$/);
    assert.equal(readNames(path).size, 500);
    assert.equal(readNames(`${path}.before-restore`).size, 507);
    assert.match(await readOutput(...force), /before-restore-2\.\n$/);
    assert.equal(readNames(`${path}.before-restore`).size, 507);
    const kept = ["store.db", "store.db-serving", "store.db.before-restore", "store.db.before-restore-2"];
    assert.deepEqual(filesOf(folder, "store.db"), kept);
  });

  await t.test("restore --force replaces a store that cannot be read, and keeps it too", async () => {
    writeFileSync(path, LETTER);
    const refused = await restore();
    assert.match(
      refused.stderr,
      /exists already and cannot be read: file is not a database\. Replace it with --force/,
    );
    await readOutput(...force);
    assert.equal(readNames(path).size, 500);
    assert.match(readFileSync(`${path}.before-restore-3`, "utf8"), /^a letter/);
  });

  await t.test("restore refuses a missing backup", async () => {
    await assertRefused(["restore", join(folder, "none.db")], /There is no file \S+none\.db/);
  });
});

test("backup prints the rows that it copied", async (t) => {
  const { folder, readOutput } = await makeBackup(t);
  const output = /^DATA +ROWS\nanimals +500\n[\s\S]*\nBacked up to \S+printed\.db: \d+ KiB, checked/;
  assert.match(await readOutput("backup", join(folder, "printed.db")), output);
});

test("backup replaces a file only with --force; backup and restore never replace the store itself", async (t) => {
  const { file, path, folder, db, readOutput, assertRefused } = await makeBackup(t);
  await assertRefused(["backup", file], /exists already/);
  await fillStore(db, 1);
  await readOutput("backup", file, "--force");
  assert.equal(readNames(file).size, 501);
  const [symbolic, hard] = [join(folder, "symbolic.db"), join(folder, "hard.db")];
  symlinkSync(path, symbolic);
  linkSync(path, hard);
  for (const name of [path, symbolic, hard]) {
    await assertRefused(["backup", name, "--force"], /is the store itself/);
    await assertRefused(["restore", name, "--force", "--unsealed"], /is the store itself/);
  }
  assert.deepEqual(filesOf(folder, "backup"), ["backup.db"]);
});

test("backup accepts a store of an older release, as before an upgrade", async (t) => {
  const folder = makeFolder(t);
  const old = join(folder, "old.db");
  execute(
    old,
    `CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at_ms BIGINT NOT NULL);
      INSERT INTO schema_migrations VALUES (1, 'animals and keys', 0);
      CREATE TABLE pets (id INTEGER PRIMARY KEY); CREATE TABLE api_keys (id INTEGER PRIMARY KEY); INSERT INTO pets VALUES (1)`,
  );
  const { readJson } = commandsIn({ DATABASE_URL: `sqlite:${old}` });
  const { schemaVersion, counts } = await readJson("backup", join(folder, "old-backup.db"));
  assert.deepEqual({ schemaVersion, counts }, { schemaVersion: 1, counts: { animals: 1, keys: 0 } });
});

test("backup and restore name the tool for PostgreSQL, and backup refuses a missing store", async (t) => {
  const { file, folder } = await makeBackup(t);
  const postgres = commandsIn({ DATABASE_URL: await createTestDatabase(t) });
  await postgres.assertRefused(["backup", join(folder, "x.db")], /use its own tool: pg_dump/);
  await postgres.assertRefused(["restore", file], /use its own tool: pg_restore/);
  const missing = commandsIn({ DATABASE_URL: `sqlite:${folder}/none.db` });
  await missing.assertRefused(["backup", join(folder, "x.db")], /There is no store at/);
  assert.equal(existsSync(join(folder, "none.db")), false);
});
