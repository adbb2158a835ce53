// A group whose connection or COMMIT fails: every write of it is refused, and it is stored as a whole or not at all.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { readConfig } from "../../../src/config/config.ts";
import type { Database, Transaction } from "../../../src/storage/database.ts";
import { migrate } from "../../../src/storage/migrations/migrate.ts";
import type { Connection } from "../../../src/storage/postgres/connection.ts";
import { openConnections } from "../../../src/storage/postgres/connections.ts";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { commitGroup } from "../../../src/storage/postgres/group.ts";
import { createPetStore } from "../../../src/storage/stores/animals/pets.ts";
import { createStores } from "../../../src/stores.ts";
import { createServerClock, type ServerClock } from "../../../src/tools/server-clock.ts";
import { assertConsistent, runInOneGroup } from "../../harness/clients/groups.ts";
import { createClock } from "../../harness/servers/app.ts";
import { askPostgres, createTestDatabase } from "../../harness/servers/databases.ts";
import { startProxy } from "../../harness/servers/proxy.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const petOf = (name: string) => ({ name, categoryId: 1n, status: "available" }) as const;

/** Connections through a proxy, and another engine that looks at the same database directly. */
async function openThroughProxy(t: TestContext, poolSize = 1) {
  const url = new URL(await createTestDatabase(t));
  url.searchParams.set("application_name", "observer");
  const direct = openPostgres(url.href, { poolSize: 2 });
  t.after(() => direct.close());
  await migrate(direct, 0);
  const first = await createPetStore(direct).create(petOf("first"), ORIGIN);
  const proxy = await startProxy(t, Number(url.port));
  url.port = String(proxy.port);
  url.searchParams.set("application_name", "tested");
  const db = openPostgres(url.href, { poolSize });
  t.after(() => db.close());
  const busy = `SELECT 1 AS found FROM pg_stat_activity
    WHERE application_name = 'tested' AND datname = current_database()`;
  /** Resolves when the server has ended the connection that was cut. */
  const ended = async () => {
    while ((await direct.all(busy)).length > 0) await pause(5);
  };
  const namesLike = async (pattern: string) => {
    const rows = await direct.all("SELECT name FROM pets WHERE name LIKE $1 ORDER BY name", [pattern]);
    return rows.map(({ name }) => name as string);
  };
  return { db, direct, proxy, petId: first.id, ended, namesLike };
}

/** As the store of responses does it: a store's transaction becomes part of another. */
const createClaimed = (db: Database, name: string, claim: bigint) =>
  db.transaction(
    (tx: Transaction) =>
      createPetStore({ ...db, transaction: (work) => work(tx) }).create(petOf(name), ORIGIN),
    { claim },
  );

type StartWrites = (db: Database, label: string, petId: bigint) => Array<Promise<unknown>>;

function startCreates(db: Database, label: string): Array<Promise<unknown>> {
  const { create } = createPetStore(db);
  return ["a", "b", "c"].map((name) => create(petOf(`${label} ${name}`), ORIGIN));
}

/** Each stores the names `label a`, `label b`, `label c`. */
const GROUPS: Record<string, StartWrites> = {
  creates: startCreates,
  "creates, updates and a claim": (db, label, petId) => {
    const { create, update } = createPetStore(db);
    return [
      create(petOf(`${label} a`), ORIGIN),
      update(petId, { name: `${label} c` }, ORIGIN),
      createClaimed(db, `${label} b`, 5n),
      update(0n, { name: "unknown" }, ORIGIN),
    ];
  },
};

for (const [what, start] of Object.entries(GROUPS)) {
  test(`A group of ${what}, cut at every message, is 503 and stored wholly or not at all`, async (t) => {
    const { db, direct, proxy, petId, ended, namesLike } = await openThroughProxy(t);
    const storedAfter: number[] = [];
    for (let messages = 0; ; messages++) {
      await db.ping();
      proxy.cutAfterMessages(messages);
      const outcomes = await Promise.allSettled(start(db, `cut ${messages}`, petId));
      proxy.cutAfterMessages(undefined);
      const isWhole = outcomes.every(({ status }) => status === "fulfilled");
      if (isWhole) break;
      for (const outcome of outcomes)
        assert.equal(outcome.status === "rejected" && outcome.reason.code, "unavailable");
      assert.equal(db.canWrite(), false);
      await ended();
      storedAfter.push((await namesLike(`cut ${messages} %`)).length);
      await assertConsistent(direct);
    }
    const last = storedAfter.pop();
    assert.equal(last, 3, "after COMMIT, whose reply was lost, all are stored once and not repeated");
    assert.deepEqual(new Set(storedAfter), new Set([0]), "before COMMIT, nothing is stored");
    assert.ok(storedAfter.length > 5, `${storedAfter.length} messages`);
    await assertConsistent(direct);
  });
}

test("A group whose COMMIT arrives after the deadline is refused by the server", async (t) => {
  const { db, direct, proxy, ended, namesLike } = await openThroughProxy(t);
  const create = (label: string) => Promise.allSettled(startCreates(db, label));
  await db.ping();
  proxy.set("freeze");
  for (const outcome of await create("late"))
    assert.equal(outcome.status === "rejected" && outcome.reason.code, "unavailable");
  // Statements sent before the deadline arrive now, COMMIT included.
  proxy.set("pass");
  await ended();
  assert.deepEqual(await namesLike("late %"), []);
  for (const { status } of await create("in time")) assert.equal(status, "fulfilled");
  await assertConsistent(direct);
});

const CUTS: Record<string, { texts: [string, ...string[]]; isReplayed: boolean }> = {
  "before COMMIT": { texts: ["createPet"], isReplayed: false },
  "after COMMIT": { texts: ["createPet", "COMMIT\0"], isReplayed: true },
};

for (const [when, { texts, isReplayed }] of Object.entries(CUTS)) {
  test(`A request with Idempotency-Key, cut in a group ${when}, runs once when it is repeated`, async (t) => {
    const { db, direct, proxy, namesLike } = await openThroughProxy(t, 2);
    const request = { name: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32), nowMs: 1_000 };
    const perform = (on: Database) =>
      createStores(on, readConfig({}), createClock(1_000), undefined).idempotency.perform(
        request,
        async ({ pets }) => ({
          status: 201,
          body: Buffer.from(`${(await pets.create(petOf("once"), ORIGIN)).id}`),
        }),
      );
    proxy.cutAfter(...texts);
    const [one, two] = await runInOneGroup(db, [
      (on) => createPetStore(on).create(petOf("companion"), ORIGIN),
      perform,
    ]);
    for (const outcome of [one, two])
      assert.equal(outcome?.status === "rejected" && outcome.reason.code, "unavailable");
    const repeat = (): ReturnType<typeof perform> =>
      perform(db).catch((error) => {
        // Until the server has ended the transaction that was cut.
        if (error.code !== "idempotency_in_progress") throw error;
        return repeat();
      });
    assert.equal((await repeat()).isReplayed, isReplayed);
    assert.deepEqual(await namesLike("once"), ["once"]);
    assert.deepEqual(await namesLike("companion"), isReplayed ? ["companion"] : []);
    await assertConsistent(direct);
  });
}

/** Runs a group of two inserts with this clock instead of the connection's. */
async function commitWithClock(t: TestContext, clock: ServerClock) {
  const url = await createTestDatabase(t);
  await askPostgres(url, "CREATE TABLE notes (text TEXT NOT NULL)");
  const connections = openConnections(url, {
    poolSize: 1,
    deadlineMs: 5_000,
    onIdleError: () => {},
    onServerChange: () => {},
  });
  t.after(() => connections.close());
  const insert = (text: string) => ({
    work: (tx: Transaction) => tx.run("INSERT INTO notes (text) VALUES ($1)", [text]),
    claim: undefined,
  });
  const endMs = performance.now() + 5_000;
  const sent: string[] = [];
  const work = (connection: Connection) => {
    const ask: Connection["ask"] = (sql, values) => {
      sent.push(sql);
      return connection.ask(sql, values);
    };
    return commitGroup({ ...connection, ask, clock }, [insert("one"), insert("two")], { endMs, idleMs: 500 });
  };
  const outcome = await Promise.allSettled([connections.lend(endMs, work)]);
  const { rows } = await askPostgres(url, "SELECT text FROM notes ORDER BY text");
  const commits = sent.filter((sql) => sql.endsWith("COMMIT")).length;
  return { outcome: outcome[0], texts: rows.map(({ text }) => text), commits };
}

const HOUR_MS = 3_600_000;

test("A server whose clock was set forward commits the second attempt", async (t) => {
  const clock = createServerClock();
  clock.note(Date.now() - HOUR_MS, performance.now());
  const { outcome, texts, commits } = await commitWithClock(t, clock);
  assert.deepEqual(outcome, { status: "fulfilled", value: [{ value: 1 }, { value: 1 }] });
  assert.deepEqual(texts, ["one", "two"], "each is stored once");
  assert.equal(commits, 2);
});

test("A COMMIT that is late by the clock of the server in both attempts is 503", async (t) => {
  const late: ServerClock = { note() {}, correct() {}, at: () => Date.now() - HOUR_MS };
  const { outcome, texts, commits } = await commitWithClock(t, late);
  assert.equal(outcome?.status === "rejected" && outcome.reason.code, "unavailable");
  assert.deepEqual(texts, []);
  assert.equal(commits, 2);
});
