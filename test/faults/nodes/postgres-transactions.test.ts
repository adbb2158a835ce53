// Transactions on PostgreSQL that wait, fail or are late: refused with 503, and nothing of them is left.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Transaction } from "../../../src/storage/database.ts";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { PATIENT_DATABASE_MS } from "../../harness/runner/patience.ts";
import { askPostgres, createTestDatabase, openClient } from "../../harness/servers/databases.ts";
import { startNode } from "../../harness/servers/node.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import { takePostgresStore } from "../../harness/servers/stores.ts";

test("A transaction past its deadline is rolled back, and its COMMIT is never sent", async (t) => {
  const url = new URL(await createTestDatabase(t));
  const direct = url.href;
  await askPostgres(direct, "CREATE TABLE notes (text TEXT NOT NULL)");
  const proxy = await startProxy(t, Number(url.port));
  url.port = String(proxy.port);
  const db = openPostgres(url.href, { poolSize: 1 });
  t.after(() => db.close());
  const insert = (tx: Transaction, text: string) => tx.run("INSERT INTO notes (text) VALUES ($1)", [text]);
  const late = db.transaction(
    async (tx) => {
      await insert(tx, "late");
      // Like a process that was suspended. The reply to a COMMIT would come after the deadline.
      await pause(550);
      proxy.delay(100);
    },
    { deadlineMs: 500 },
  );
  await assert.rejects(late, { code: "unavailable" });
  proxy.delay(0);
  assert.equal(db.canWrite(), false);
  await db.transaction((tx) => insert(tx, "in time"));
  assert.deepEqual(await db.all("SELECT text FROM notes"), [{ text: "in time" }]);
});

test("Whether writes succeed is known from the last one, also if it was a test write", async (t) => {
  const db = openPostgres(await takePostgresStore(t), { poolSize: 1 });
  t.after(() => db.close());
  const late = () => db.transaction(() => pause(60), { deadlineMs: 50 });
  const nextWrites = {
    transaction: () => db.transaction(async (tx) => tx.run("DELETE FROM categories")),
    "transaction in order": () => db.transaction(async (tx) => tx.run("DELETE FROM pets"), { inOrder: true }),
    "test write": () => db.testWrite(),
  };
  for (const [what, write] of Object.entries(nextWrites)) {
    await assert.rejects(late(), { code: "unavailable" });
    assert.equal(db.canWrite(), false);
    await write();
    assert.equal(db.canWrite(), true, what);
  }
});

test("A transaction that the server has not committed is refused, also if its work has caught the error", async (t) => {
  const db = openPostgres(await takePostgresStore(t), { poolSize: 1 });
  t.after(() => db.close());
  const work = async (tx: Transaction) => {
    await tx.run("INSERT INTO categories (id, name) VALUES (1, 'Dogs')");
    await tx.run("SELECT 1 / 0").catch(() => {});
  };
  await assert.rejects(db.transaction(work), { code: "unavailable" });
  assert.deepEqual(await db.all("SELECT id FROM categories"), []);
});

test("A connection to a server that took no writes is not used again", async (t) => {
  const url = await createTestDatabase(t);
  const name = new URL(url).pathname.slice(1);
  // Sessions keep the setting that they began with, as connections keep their server after a failover.
  const setReadOnly = (value: string) =>
    askPostgres(
      url,
      `BEGIN READ WRITE; ALTER DATABASE ${name} SET default_transaction_read_only = ${value}; COMMIT`,
    );
  await askPostgres(url, "CREATE TABLE notes (text TEXT NOT NULL)");
  await setReadOnly("on");
  const db = openPostgres(url, { poolSize: 1 });
  t.after(() => db.close());
  const write = () => db.transaction((tx) => tx.run("INSERT INTO notes (text) VALUES ('x')"));
  await assert.rejects(write(), { code: "unavailable" });
  await setReadOnly("off");
  assert.equal(await write(), 1);
});

for (const code of ["40001", "40P01"])
  test(`A transaction that the server has rolled back with ${code} is repeated once`, async (t) => {
    const db = openPostgres(await takePostgresStore(t), { poolSize: 1, deadlineMs: PATIENT_DATABASE_MS });
    t.after(() => db.close());
    const put = (id: number, conflicts: number) => {
      let attempts = 0;
      return db.transaction(async (tx) => {
        attempts += 1;
        await tx.run("INSERT INTO categories (id, name) VALUES ($1, 'Dogs')", [id]);
        if (attempts <= conflicts)
          await tx.run(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`);
        return attempts;
      });
    };
    assert.equal(await put(1, 1), 2);
    await assert.rejects(put(2, 2), { code: "unavailable" });
    assert.deepEqual(await db.all("SELECT id FROM categories"), [{ id: 1n }]);
  });

test("A transaction that fails while it begins leaves its connection usable", {
  timeout: 60_000,
}, async (t) => {
  const url = await createTestDatabase(t);
  const environment = { DATABASE_URL: url, DATABASE_POOL_SIZE: "1", LOG_LEVEL: "silent" };
  const node = await startNode(t, environment);
  const create = () => node.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  const holder = await openClient(t, url);
  await holder.query("SELECT pg_advisory_lock(7305001)");
  const waiting = create();
  const cancel =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()";
  while ((await holder.query(cancel)).rowCount === 0) await pause(20);
  assert.equal((await waiting).json.code, "unavailable");
  await holder.end();
  assert.equal((await create()).status, 201);
  assert.equal((await node.call("GET", "/pets")).json.length, 1);
});

test("Concurrent writes succeed on a server with repeatable read as its default", async (t) => {
  const url = await createTestDatabase(t);
  await askPostgres(
    url,
    `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_isolation = 'repeatable read'`,
  );
  const service = await startNode(t, { DATABASE_URL: url });
  const add = () => service.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  const answers = await Promise.all(Array.from({ length: 40 }, add));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
});

/** Fifteen writes wait for a lock that the test holds; reads go on. */
async function startWaitingWrites(t: TestContext) {
  const url = await createTestDatabase(t);
  const service = await startNode(t, { DATABASE_URL: url, DATABASE_POOL_SIZE: "5" });
  await service.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  const holder = await openClient(t, url);
  await holder.query("BEGIN; SELECT pg_advisory_xact_lock(7305001)");
  const rename = async (_: unknown, index: number) => {
    const name = `Rex ${index}`;
    return { name, status: (await service.call("PATCH", "/pets/1", { body: { name } })).status };
  };
  const writes = Array.from({ length: 15 }, rename);
  // One connection waits for the lock with the first group; the other writes wait in the service.
  for (let waiting = 0; waiting < 1; ) {
    const { rows } = await holder.query("SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted");
    waiting = Number(rows[0].waiting);
  }
  for (let i = 0; i < 5; i++) assert.equal((await service.call("GET", "/pets/1")).status, 200);
  /** The names that the animal has had, in order. */
  const names = async () => {
    const { json } = await service.call("GET", "/pets/1/history?limit=100");
    return json.map(({ to }: { to: { name: string } }) => to.name);
  };
  return { service, holder, writes, names };
}

test("Reads go on while writes wait, and the writes are done once the lock is free", async (t) => {
  const { holder, writes, names } = await startWaitingWrites(t);
  await holder.end();
  const outcomes = await Promise.all(writes);
  const done = outcomes.filter(({ status }) => status === 200).map(({ name }) => name);
  const refused = outcomes.filter(({ status }) => status === 503);
  assert.equal(done.length + refused.length, 15);
  assert.ok(done.length > 0, "a lock that is free soon refuses only writes of an overloaded machine");
  assert.deepEqual((await names()).toSorted(), ["Rex", ...done].toSorted());
});

test("Writes that wait past their deadline are refused and leave nothing behind", async (t) => {
  const { service, holder, writes, names } = await startWaitingWrites(t);
  const outcomes = await Promise.all(writes);
  assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([503]));
  await holder.end();
  const rename = () => service.call("PATCH", "/pets/1", { body: { name: "Later" } });
  while ((await rename()).status !== 200) await pause(50);
  assert.deepEqual(await names(), ["Rex", "Later"]);
});
