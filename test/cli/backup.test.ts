// `backup` under write load and `restore`: no acknowledged write is missing, and no damaged file is accepted.

import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
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
import { runInHost } from "../harness/clients/commands.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { type Service, startCommand, startService } from "../harness/servers/service.ts";
import { fillStore, makeStore, type TestStore } from "./stores.ts";

const ADMIN_API_KEY = "an-admin-key-for-all-stores";
const WRITERS = 8;
const SEAL_BYTES = 94;

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

function readNames(path: string): Map<number, string> {
  const db = new SqliteConnection(path, { readonly: true });
  const rows = db.prepare("SELECT id, name FROM pets ORDER BY id").all() as Array<{
    id: number;
    name: string;
  }>;
  db.close();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

test("a backup under write load holds every write acknowledged before it, and can be restored", async (t) => {
  const store = await makeStore(t);
  const { command, folder, environment } = store;
  // Enough pages for a copy in many steps.
  await fillStore(store.db, 30_000);
  const service = await startService(t, { ...environment, ADMIN_API_KEY });
  const load = startLoad(service);
  while (load.acknowledged.size < 200) await service.call("GET", "/pets");
  t.diagnostic(`the longest write before the backup took ${Math.round(load.longestMs())} ms`);

  const before = new Map(load.acknowledged);
  const file = join(folder, "backup.db");
  const result = await command("backup", file, "--json");
  t.diagnostic(`the longest write meanwhile took ${Math.round(load.longestMs())} ms`);
  assert.equal(result.code, 0, result.stderr);
  await load.stop();
  const report = JSON.parse(result.stdout);
  t.diagnostic(
    `${before.size} acknowledged before, ${load.acknowledged.size} in all, ${report.counts.animals - 30_000} in the backup`,
  );
  assert.equal(report.schemaVersion, SCHEMA_VERSION);
  assert.equal(report.counts.history, report.counts.animals);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("backup")),
    ["backup.db"],
  );

  const target = join(folder, "elsewhere", "restored.db");
  const restored = await runInHost(["restore", file, "--json"], { DATABASE_URL: `sqlite:${target}` });
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(JSON.parse(restored.stdout).counts, report.counts);
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
  const result = await store.command("backup", file);
  assert.equal(result.code, 0, result.stderr);
  return { ...store, file, path: join(store.folder, "store.db") };
}

test("restore refuses a damaged backup", async (t) => {
  const { file, folder } = await makeBackup(t);
  const bytes = readFileSync(file);
  const target = join(folder, "new.db");
  const damaged = join(folder, "damaged.db");
  const restore = (unsealed = false) => restoreSqlite(damaged, target, { force: false, unsealed });

  const flips = {
    "its header": 20,
    "the letter of a name": bytes.indexOf("Luna") + 1,
    "a page in the middle": Math.floor(bytes.length / 8192) * 4096 + 5,
    "its last page": bytes.length - 200,
    "its seal": bytes.length - 10,
  };
  for (const [place, at] of Object.entries(flips)) {
    await t.test(`with a changed bit in ${place}`, async () => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(damaged, changed);
      await assert.rejects(restore(), /^Error: \S+damaged\.db (is damaged|has no seal at its end): /);
      assert.deepEqual([existsSync(target), existsSync(`${target}.restoring`)], [false, false]);
    });
  }

  for (const left of [
    0,
    100,
    4096,
    bytes.length - SEAL_BYTES - 4096,
    bytes.length - SEAL_BYTES,
    bytes.length - 1,
  ]) {
    await t.test(`cut off after ${left} of ${bytes.length} bytes`, async () => {
      copyFileSync(file, damaged);
      truncateSync(damaged, left);
      const isWhole = left >= bytes.length - SEAL_BYTES;
      const reason = left === 0 ? "it is empty" : `it is cut off after ${left} of \\d+ bytes`;
      const says = isWhole
        ? "Restore a copy of another tool with --unsealed"
        : `${reason}\\. Use another backup`;
      await assert.rejects(restore(), new RegExp(`has no seal at its end: .*${says}\\.$`));
      assert.equal(existsSync(target), false);
    });
  }

  await t.test("and does not offer --unsealed for a file that is no database", async () => {
    writeFileSync(damaged, "a letter ".repeat(1_000));
    await assert.rejects(restore(), /: it is not a SQLite database\. Use another backup\.$/);
  });

  await t.test("names the newest backup in a folder", async () => {
    const backups = join(folder, "backups");
    mkdirSync(backups);
    const run = () => runInHost(["restore", backups], { DATABASE_URL: `sqlite:${target}` });
    assert.match((await run()).stderr, /backups is a folder\. It has no backup: /);
    for (const [age, name] of ["newest.db", "old.db"].entries()) {
      writeFileSync(join(backups, name), "");
      utimesSync(join(backups, name), 2_000_000 - age, 2_000_000 - age);
    }
    const { code, stderr } = await run();
    assert.equal(code, 1);
    assert.ok(stderr.endsWith(`: ${COMMAND} restore ${join(backups, "newest.db")}\n`), stderr);
    const store = `sqlite:${join(backups, "newest.db")}`;
    const beside = await runInHost(["restore", backups], { DATABASE_URL: store });
    assert.ok(beside.stderr.endsWith(`: ${COMMAND} restore ${join(backups, "old.db")}\n`), beside.stderr);
  });

  await t.test("that is no store of this service, or of a newer release, even with --unsealed", async () => {
    writeFileSync(damaged, "a letter ".repeat(1_000));
    await assert.rejects(restore(true), /is damaged: file is not a database/);
    const bare = bytes.subarray(0, bytes.length - SEAL_BYTES);
    const page = Math.floor(bare.length / 8192) * 4096;
    writeFileSync(damaged, Buffer.from(bare).fill(0, page, page + 4096));
    await assert.rejects(restore(true), /damaged\.db is damaged: /);
    writeFileSync(damaged, "");
    const other = new SqliteConnection(damaged);
    other.exec("CREATE TABLE letters (text)");
    other.close();
    await assert.rejects(restore(true), /is a database, but not one of this service/);
    writeFileSync(damaged, bare);
    const newer = new SqliteConnection(damaged);
    newer.exec("INSERT INTO schema_migrations VALUES (99, 'future', 0)");
    newer.close();
    await assert.rejects(restore(true), /has schema 99; this release knows up to/);
    assert.equal(existsSync(target), false);
  });

  await t.test("but accepts a sound copy of another tool with --unsealed", async () => {
    const db = new SqliteConnection(join(folder, "store.db"));
    writeFileSync(damaged, "");
    db.exec(`VACUUM INTO '${damaged}'`);
    db.close();
    const command = (...flags: string[]) =>
      runInHost(["restore", damaged, ...flags], { DATABASE_URL: `sqlite:${target}` });
    const refused = await command();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^animal-store: \S+damaged\.db has no seal at its end: .*\n$/);
    const result = await command("--unsealed");
    assert.equal(result.code, 0, result.stderr);
    assert.equal(readNames(target).size, 500);
  });
});

test("an interrupted backup leaves no file behind", async (t) => {
  const { db, folder, environment } = await makeStore(t);
  // Enough pages for a copy in many steps.
  await fillStore(db, 20_000);
  const { child, ended } = startCommand(["backup", join(folder, "cut.db")], environment);
  const parts = () => readdirSync(folder).filter((name) => name.startsWith("cut.db"));
  while (parts().length === 0) await nextTick();
  child.kill("SIGTERM");
  assert.equal((await ended).code, 143);
  assert.deepEqual(parts(), []);
});

test("restore", async (t) => {
  const { file, path, environment, command, db, folder } = await makeBackup(t);
  const restore = (...flags: string[]) => command("restore", file, ...flags);
  await fillStore(db, 7);

  await t.test("refuses a store that is being served", async () => {
    const service = await startService(t, { ...environment, ADMIN_API_KEY });
    const result = await restore("--force");
    assert.deepEqual([result.code, /Another process already serves/.test(result.stderr)], [1, true]);
    assert.equal((await service.call("GET", "/store/inventory")).status, 200);
    await service.stop();
  });

  await t.test("refuses a store that another process has open, and one that holds data", async () => {
    const open = await restore("--force");
    assert.deepEqual([open.code, /Another process still has \S+ open\. End it/.test(open.stderr)], [1, true]);
    assert.equal((await db.first("SELECT count(*) AS n FROM pets"))?.n, 507n);
    await db.close();
    const filled = await restore();
    assert.equal(filled.code, 1);
    assert.match(filled.stderr, /is a store already \(animals 507, history 507\)\. Replace it with --force/);
    assert.equal(readNames(path).size, 507);
  });

  await t.test("replaces it with --force and keeps every replaced store", async () => {
    const result = await restore("--force");
    assert.equal(result.code, 0, result.stderr);
    assert.match(
      result.stdout,
      new RegExp(`\nRestored to \\S+store\\.db, schema ${SCHEMA_VERSION}\\. Start the service\\.\n`),
    );
    assert.match(result.stdout, /\nThe old store is kept as \S+store\.db\.before-restore\.\n$/);
    assert.equal(readNames(path).size, 500);
    assert.equal(readNames(`${path}.before-restore`).size, 507);
    assert.match((await restore("--force")).stdout, /before-restore-2\.\n$/);
    assert.equal(readNames(`${path}.before-restore`).size, 507);
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.startsWith("store.db"))
        .sort(),
      ["store.db", "store.db-serving", "store.db.before-restore", "store.db.before-restore-2"],
    );
  });

  await t.test("does not apply the WAL of an earlier store", async () => {
    const place = join(folder, "gone.db");
    copyFileSync(path, place);
    const dead = new SqliteConnection(place);
    dead.pragma("journal_mode = WAL");
    dead.exec("DELETE FROM pets");
    // A killed process leaves the WAL with its last changes; then the store was deleted.
    const wal = readFileSync(`${place}-wal`);
    dead.close();
    rmSync(place);
    writeFileSync(`${place}-wal`, wal);
    const result = await runInHost(["restore", file], { DATABASE_URL: `sqlite:${place}` });
    assert.equal(result.code, 0, result.stderr);
    assert.equal(readNames(place).size, 500);
    assert.deepEqual(readFileSync(`${place}.before-restore-wal`), wal);
  });

  await t.test("refuses to replace a database of another program", async () => {
    const photos = join(folder, "photos.db");
    const other = new SqliteConnection(photos);
    other.exec("CREATE TABLE photos (name)");
    other.close();
    for (const flags of [[], ["--force"]]) {
      const result = await runInHost(["restore", file, ...flags], { DATABASE_URL: `sqlite:${photos}` });
      assert.deepEqual([result.code, /is a database of another program/.test(result.stderr)], [1, true]);
    }
  });

  await t.test("replaces a store that cannot be read, and keeps it too", async () => {
    writeFileSync(path, "a letter ".repeat(1_000));
    const refused = await restore();
    assert.match(
      refused.stderr,
      /exists already and cannot be read: file is not a database\. Replace it with --force/,
    );
    assert.equal((await restore("--force")).code, 0);
    assert.equal(readNames(path).size, 500);
    assert.match(readFileSync(`${path}.before-restore-3`, "utf8"), /^a letter/);
  });

  await t.test("refuses a missing backup, and the store itself", async () => {
    const result = await command("restore", join(folder, "none.db"));
    assert.deepEqual([result.code, /There is no file \S+none\.db/.test(result.stderr)], [1, true]);
    const itself = await command("restore", path, "--force");
    assert.deepEqual([itself.code, /is the store itself/.test(itself.stderr)], [1, true]);
  });
});

test("backup", async (t) => {
  const { file, path, command, folder, db } = await makeBackup(t);

  await t.test("prints what it copied", async () => {
    const result = await command("backup", join(folder, "printed.db"));
    assert.match(
      result.stdout,
      /^DATA +ROWS\nanimals +500\n[\s\S]*\nBacked up to \S+printed\.db: \d+ KiB, checked/,
    );
  });

  await t.test("replaces a file only with --force, and never the store", async () => {
    const refused = await command("backup", file);
    assert.deepEqual([refused.code, /exists already/.test(refused.stderr)], [1, true]);
    await fillStore(db, 1);
    assert.equal((await command("backup", file, "--force")).code, 0);
    assert.equal(readNames(file).size, 501);
    const links = [join(folder, "symbolic.db"), join(folder, "hard.db")] as const;
    symlinkSync(path, links[0]);
    linkSync(path, links[1]);
    for (const args of [path, ...links].flatMap((name) => [
      ["backup", name, "--force"],
      ["restore", name, "--force", "--unsealed"],
    ])) {
      const itself = await command(...args);
      assert.deepEqual([itself.code, /is the store itself/.test(itself.stderr)], [1, true], args.join(" "));
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("backup")),
      ["backup.db"],
    );
  });

  await t.test("accepts a store of an older release, as before an upgrade", async () => {
    const old = join(folder, "old.db");
    const db = new SqliteConnection(old);
    db.exec(`CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at_ms BIGINT NOT NULL);
      INSERT INTO schema_migrations VALUES (1, 'animals and keys', 0);
      CREATE TABLE pets (id INTEGER PRIMARY KEY); CREATE TABLE api_keys (id INTEGER PRIMARY KEY); INSERT INTO pets VALUES (1)`);
    db.close();
    const result = await runInHost(["backup", join(folder, "old-backup.db"), "--json"], {
      DATABASE_URL: `sqlite:${old}`,
    });
    assert.equal(result.code, 0, result.stderr);
    const { schemaVersion, counts } = JSON.parse(result.stdout);
    assert.deepEqual({ schemaVersion, counts }, { schemaVersion: 1, counts: { animals: 1, keys: 0 } });
  });

  await t.test("names the tool for PostgreSQL, and refuses a missing store", async () => {
    const postgres = { DATABASE_URL: await createTestDatabase(t) };
    const made = await runInHost(["backup", join(folder, "x.db")], postgres);
    assert.deepEqual([made.code, /use its own tool: pg_dump/.test(made.stderr)], [1, true]);
    const put = await runInHost(["restore", file], postgres);
    assert.deepEqual([put.code, /use its own tool: pg_restore/.test(put.stderr)], [1, true]);
    const none = await runInHost(["backup", join(folder, "x.db")], {
      DATABASE_URL: `sqlite:${folder}/none.db`,
    });
    assert.deepEqual([none.code, /There is no store at/.test(none.stderr)], [1, true]);
    assert.equal(existsSync(join(folder, "none.db")), false);
  });
});
