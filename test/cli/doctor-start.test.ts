// `doctor` on what the next start would do, and on settings that do not fit together.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import SqliteConnection from "better-sqlite3";
import pino from "pino";
import { migrateStorage } from "../../src/command-stores.ts";
import { readConfig } from "../../src/config/config.ts";
import { createService } from "../../src/service/service.ts";
import { migrate, SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import type { Environment } from "../harness/clients/commands.ts";
import { assertFinding, findAll } from "../harness/clients/findings.ts";
import { column } from "../harness/clients/pages.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { startNode } from "../harness/servers/node.ts";
import { startRedis } from "../harness/servers/redis.ts";

const log = pino({ level: "silent" });

function makePath(t: TestContext): { path: string; environment: Environment } {
  const path = join(makeFolder(t), "store.db");
  return { path, environment: { DATABASE_URL: `sqlite:${path}`, PORT: "0" } };
}

/** Starts the service once. Resolves to whether it created an admin key. */
async function start(environment: Environment): Promise<boolean> {
  const service = await createService(readConfig(environment), { log, databaseMs: PATIENT_DATABASE_MS });
  const first = await service.createFirstKey();
  await service.stop();
  return first !== undefined;
}

/** The findings of doctor about the start and the keys, and whether the start then creates a key. */
async function foretell(environment: Environment) {
  const { start: next, keys } = await findAll(environment);
  return { next, keys: keys?.detail, isCreated: await start(environment) };
}

for (const engine of ["sqlite", "postgres"]) {
  test(`doctor foretells each start on ${engine}: tables, migrations and the first key`, async (t) => {
    const environment: Environment =
      engine === "sqlite"
        ? makePath(t).environment
        : { DATABASE_URL: await createTestDatabase(t), PORT: "0" };
    const first = await foretell(environment);
    const creates = engine === "sqlite" ? "\\S+store\\.db " : "the tables of schema";
    const listens = "and listens on a free port of 127\\.0\\.0\\.1$";
    assertFinding(first.next, "ok", new RegExp(`^the next start creates ${creates}.*${listens}`));
    assert.equal(first.keys, "the store is new: the next start creates an admin key and prints it once");
    assert.equal(first.isCreated, true);

    const second = await foretell(environment);
    const unchanged =
      /^the next start changes nothing in the database \(schema \d+ is current\) and listens on /;
    assertFinding(second.next, "ok", unchanged);
    assert.equal(second.keys, "an admin key is active; the next start creates none");
    assert.equal(second.isCreated, false);
  });
}

test("doctor says whether a start creates an admin key", async (t) => {
  const { path, environment } = makePath(t);
  const ADMIN_API_KEY = "a-key-of-the-operator";
  const configured = await foretell({ ...environment, ADMIN_API_KEY });
  assert.equal(configured.keys, "ADMIN_API_KEY is the only admin key; the next start creates none");
  assert.equal(configured.isCreated, false);
  assert.equal(await start(environment), true);
  const db = new SqliteConnection(path);
  t.after(() => db.close());
  for (const end of ["revoked_at_ms = 1", "revoked_at_ms = NULL, expires_at_ms = 1"]) {
    db.exec(
      `UPDATE api_keys SET ${end} WHERE id = 1; DELETE FROM api_key_secrets WHERE key_id > 1; DELETE FROM api_keys WHERE id > 1`,
    );
    const found = await foretell(environment);
    assert.match(found.keys ?? "", /^no admin key is active: the next start creates an admin key/, end);
    assert.equal(found.isCreated, true, end);
  }
});

test("doctor lists the migrations of the next start, also where the tables of this release are missing", async (t) => {
  for (const [version, names] of Object.entries({
    1: `"adoptions", "imports", "deprecated use", "versions", "events", "audit", "webhooks", "listings", "search", "photos", "usage", "waiting texts", "search index", "search texts", "imported rows", "shelters", "public door", "people", "server lineage"`,
    4: `"versions", "events", "audit", "webhooks", "listings", "search", "photos", "usage", "waiting texts", "search index", "search texts", "imported rows", "shelters", "public door", "people", "server lineage"`,
  })) {
    const { path, environment } = makePath(t);
    const db = openSqlite(path);
    await migrate(db, 0, Number(version));
    await db.close();
    const { schema, start: next, keys } = await findAll(environment);
    assertFinding(schema, "warning", /./, /run: .* migrate$/);
    const migrates = `migrates schema ${version} to ${SCHEMA_VERSION} (${names})`;
    assert.ok(next?.detail.includes(migrates), String(next?.detail));
    assert.match(keys?.detail ?? "", /^no admin key is active/);
  }
});

test("doctor says that a newer schema prevents the start, and to upgrade", async (t) => {
  const { path, environment } = makePath(t);
  await migrateStorage(readConfig(environment));
  const db = new SqliteConnection(path);
  db.exec("INSERT INTO schema_migrations VALUES (99, 'future', 0)");
  db.close();
  const { schema, start: next, keys } = await findAll(environment);
  const upgrade = /Upgrade to a release that knows schema 99, or restore a backup/;
  assertFinding(schema, "fault", /^version 99/, upgrade);
  assertFinding(next, "fault", "the service would not start, because of the fault in: schema");
  assert.equal(keys, undefined);
});

test("doctor warns that a second process on the same store would be refused", async (t) => {
  const node = await startNode(t);
  const { start: next } = await findAll({ DATABASE_URL: node.environment.DATABASE_URL ?? "", PORT: "0" });
  const detail = /^refused while another process serves \S+store\.db$/;
  assertFinding(next, "warning", detail, /^Stop that process first/);
});

test("doctor warns of settings that do not fit together", async (t) => {
  const { environment } = makePath(t);
  const PUBLIC_URL = "https://animals.example.org";
  const cases: Array<[settings: Environment, warned: string[]]> = [
    [{}, []],
    [{ HOST: "0.0.0.0" }, ["links"]],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "http://animals.example.org" }, []],
    [{ HOST: "0.0.0.0", PUBLIC_URL }, ["proxy"]],
    [{ PUBLIC_URL, TRUST_PROXY: "127.0.0.1" }, []],
  ];
  for (const [settings, warned] of cases) {
    const findings = Object.values(await findAll({ ...environment, ...settings }));
    const found = findings.filter((each) => each?.result === "warning");
    assert.deepEqual(column(found, "check"), warned, JSON.stringify(settings));
    for (const each of found) assert.match(each?.mend ?? "", /^Set (PUBLIC_URL|TRUST_PROXY) to the address/);
  }
});

test("doctor warns if REDIS_URL is missing while nodes with Redis serve the database", async (t) => {
  const DATABASE_URL = await createTestDatabase(t);
  const { url: REDIS_URL } = await startRedis(t);
  const node = await startNode(t, { DATABASE_URL, REDIS_URL });
  const { nodes } = await findAll({ DATABASE_URL });
  const detail = /nodes that use Redis serve this database: 1$/;
  assertFinding(nodes, "warning", detail, /^Set REDIS_URL as for those nodes/);
  assert.equal((await findAll({ DATABASE_URL, REDIS_URL })).nodes, undefined);
  await node.stop();
  assert.equal((await findAll({ DATABASE_URL })).nodes, undefined, "after its stop");
});
