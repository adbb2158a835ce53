// Usage of several nodes on one database: every response is counted once, across flushes, failures and restarts.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../src/domain/basics/durations.ts";
import { readDailyUse, readTraffic } from "../../src/domain/usage/periods.ts";
import { DAYS_KEPT, MINUTES_KEPT } from "../../src/domain/usage/usage-limits.ts";
import type { Usage, UsageStore } from "../../src/domain/usage/usage-store.ts";
import { createUsage } from "../../src/http/observe/usage-counter.ts";
import { copyAll } from "../../src/storage/copy.ts";
import type { Database } from "../../src/storage/database.ts";
import { createUsageStore } from "../../src/storage/stores/usage/usage.ts";
import { createClock } from "../harness/servers/app.ts";
import { openEmptyStore, testOnEngines } from "./engines.ts";

const NOON_MS = Date.UTC(2027, 0, 1, 12);
const UNAVAILABLE = new Error("the database does not answer");
const fail = (cause: unknown) => assert.fail(String(cause));

/** Each scene has a clock at noon of a day of its own, so that tests do not see each other's counts. */
function openUsage(t: TestContext, db: Database) {
  // The timers of killed nodes must not run later.
  t.mock.timers.enable({ apis: ["setInterval"] });
  const stored = createUsageStore(db);
  let days = 0;
  function createScene() {
    days += 2;
    const clock = createClock(NOON_MS + days * DAY_MS);
    const failures: unknown[] = [];
    const start = (store: UsageStore = stored) =>
      createUsage({ store, clock, onError: (error) => failures.push(error), onOverflow: fail });
    return { clock, start, failures };
  }
  return { stored, createScene };
}

testOnEngines("Usage that is read", async (t, db) => {
  const { stored, createScene } = openUsage(t, db);

  await t.test("the usage of two nodes is added up, also while they write at the same time", async () => {
    const { clock, start } = createScene();
    const nodes = [start(), start()] as const;
    const operations = ["listPets", "getPet", "createPet"];
    let sent = 0;
    for (let round = 0; round < 10; round++) {
      for (const [index, node] of nodes.entries())
        for (let i = 0; i < 200; i++) {
          // The nodes meet the same rows in opposite orders.
          const key = index === 0 ? i % 40 : 39 - (i % 40);
          node.count(BigInt(key), operations[i % 3] as string, i % 5 === 0 ? 404 : 200);
          sent += 1;
        }
      await Promise.all(nodes.map((node) => node.flush()));
      clock.advance(20_000);
    }
    const traffic = await readTraffic(nodes[0], { per: "minute", periods: 10 }, clock.nowMs());
    assert.equal(countOf(traffic), sent);
    const [hour] = await readTraffic(nodes[1], { per: "hour", periods: 1 }, clock.nowMs());
    assert.deepEqual(hour?.answers, [
      { status: 200, count: (sent * 4) / 5 },
      { status: 404, count: sent / 5 },
    ]);
    const keys = await Promise.all(
      Array.from({ length: 40 }, (_, key) =>
        readDailyUse(nodes[0], { keyId: BigInt(key), days: 1 }, clock.nowMs()),
      ),
    );
    assert.equal(countOf(keys.flat()), sent, "keys and all keys agree");
    assert.ok(keys.every((ofKey) => countOf(ofKey) === sent / 40));
  });

  await t.test("usage includes what the answering node has not stored yet, and never twice", async () => {
    const { clock, start } = createScene();
    const node = start();
    const read = async () => countOf(await readTraffic(node, { per: "minute", periods: 5 }, clock.nowMs()));
    for (let sent = 1; sent <= 20; sent++) {
      node.count(1n, "listPets", 200);
      const answers = await Promise.all([read(), node.flush().then(read), read()]);
      assert.deepEqual(answers, [sent, sent, sent]);
    }
    node.count(undefined, "listPets", 401);
    assert.equal(await read(), 21);
    const ofKey = await readTraffic(node, { per: "day", periods: 1, keyId: 1n }, clock.nowMs());
    assert.deepEqual(ofKey[0]?.answers, [{ status: 200, count: 20 }]);
    const ofConfigured = await readTraffic(node, { per: "day", periods: 1, keyId: 0n }, clock.nowMs());
    assert.deepEqual(ofConfigured[0]?.answers, [], "a caller without a key is not ADMIN_API_KEY");
  });

  await t.test("usage is complete if it is stored while it is read", async () => {
    const { clock, start } = createScene();
    let isDisturbed = false;
    const node = start({
      ...stored,
      async readDays(...range) {
        const found = await stored.readDays(...range);
        if (!isDisturbed) await node.flush();
        isDisturbed = true;
        return found;
      },
    });
    node.count(1n, "listPets", 200);
    assert.equal(await countToday(node, clock.nowMs()), 1);
    assert.ok(isDisturbed);
  });
});

testOnEngines("Usage that is kept", async (t, db) => {
  const { stored, createScene } = openUsage(t, db);

  await t.test("usage is copied to the other engine in several pages", async (t) => {
    const { clock, start } = createScene();
    const node = start();
    for (const operation of ["listPets", "ListPets", "a", "Z", "é"])
      for (let keyId = 0n; keyId < 120n; keyId++) node.count(keyId, operation, 200);
    await node.flush();
    const to = await openEmptyStore(t, db.engine === "sqlite" ? "PostgreSQL" : "SQLite");
    await copyAll(db, to, () => {});
    const target = createUsage({ store: createUsageStore(to), clock, onError: fail, onOverflow: fail });
    for (const table of ["usage_minutes", "usage_days"]) {
      const rows = `SELECT count(*) AS rows_of_table FROM ${table}`;
      assert.deepEqual(await to.first(rows), await db.first(rows), table);
    }
    assert.equal(await countToday(target, clock.nowMs()), 600);
    assert.equal(countOf(await readDailyUse(target, { keyId: 119n, days: 1 }, clock.nowMs())), 5);
  });

  await t.test("usage is kept for exactly a day by minute and 90 days by day", async () => {
    const { clock, start } = createScene();
    const node = start();
    const beginMs = clock.nowMs();
    for (const afterMs of [0, MINUTE_MS, DAY_MS]) {
      clock.set(beginMs + afterMs);
      node.count(1n, "listPets", 200);
      await node.flush();
    }
    const forgetAll = async () => {
      while ((await stored.forget(clock.nowMs())) > 0);
    };
    const countRows = async (table: string, column: string, from: number) =>
      Number(
        (await db.first(`SELECT count(*) AS n FROM ${table} WHERE ${column} >= $1 AND key_id = 1`, [from]))
          ?.n,
      );
    const beginMinute = beginMs / MINUTE_MS;
    const beginDay = Math.floor(beginMs / DAY_MS);
    for (const [atMinute, minutesLeft] of [
      [MINUTES_KEPT - 1, 3],
      [MINUTES_KEPT, 2],
      [MINUTES_KEPT + 1, 1],
    ] as const) {
      clock.set(beginMs + atMinute * MINUTE_MS);
      await forgetAll();
      assert.equal(await countRows("usage_minutes", "minute", beginMinute), minutesLeft);
    }
    for (const [atDay, daysLeft] of [
      [DAYS_KEPT - 1, 2],
      [DAYS_KEPT, 1],
      [DAYS_KEPT + 1, 0],
    ] as const) {
      clock.set((beginDay + atDay) * DAY_MS);
      await forgetAll();
      assert.equal(await countRows("usage_days", "day", beginDay), daysLeft);
    }
    assert.equal((await db.all("SELECT id FROM usage_writers")).length, 0, "writers are forgotten too");
  });
});

testOnEngines("Usage that is stored", async (t, db) => {
  const { stored, createScene } = openUsage(t, db);

  await t.test("usage survives a restart; a kill loses only what came after the last flush", async () => {
    const { clock, start } = createScene();
    const orderly = start();
    orderly.count(1n, "listPets", 200);
    await orderly.close();
    const killed = start();
    killed.count(1n, "listPets", 200);
    await tickMinute(t, killed);
    killed.count(1n, "listPets", 200);
    assert.equal(await countToday(start(), clock.nowMs()), 2);
  });

  await t.test("usage is stored once when a flush fails, before or after its commit", async () => {
    for (const isCommitted of [false, true]) {
      const { clock, start, failures } = createScene();
      let isFailing = true;
      const node = start({
        ...stored,
        async add(...part) {
          if (isCommitted || !isFailing) await stored.add(...part);
          if (isFailing) throw UNAVAILABLE;
        },
      });
      for (let i = 0; i < 3; i++) {
        node.count(BigInt(i), "listPets", 200);
        await tickMinute(t, node);
        assert.equal(await countToday(node, clock.nowMs()), i + 1);
        clock.advance(MINUTE_MS);
      }
      assert.deepEqual(failures, [UNAVAILABLE], "failures in a row are reported once");
      isFailing = false;
      await node.flush();
      assert.equal(await countToday(node, clock.nowMs()), 3);
      assert.equal(await countToday(start(), clock.nowMs()), 3);
    }
  });

  await t.test("usage is stored once when the first attempt still runs", async () => {
    const { clock, start } = createScene();
    const day = Math.floor(clock.nowMs() / DAY_MS);
    const part = {
      minutes: [],
      days: [{ day, keyId: -1n, operation: "", status: 200, responses: 7 }],
    };
    const name = { writer: "a process", number: 1 };
    await Promise.all([1, 2, 3].map(() => stored.add(part, name, clock.nowMs())));
    assert.equal(await countToday(start(), clock.nowMs()), 7);
    await stored.add(part, { ...name, number: 2 }, clock.nowMs());
    assert.equal(await countToday(start(), clock.nowMs()), 14);
  });

  await t.test("storing usage is not a change of the store", async () => {
    const { start } = createScene();
    const before = await readState(db);
    const node = start();
    node.count(1n, "listPets", 200);
    await node.flush();
    assert.deepEqual(await readState(db), before);
  });
});

function countOf(periods: Array<{ answers: Array<{ count: number }> }>): number {
  return periods.flatMap(({ answers }) => answers).reduce((sum, { count }) => sum + count, 0);
}

async function countToday(usage: Usage, nowMs: number): Promise<number> {
  return countOf(await readTraffic(usage, { per: "day", periods: 1 }, nowMs));
}

/** The timer of the node flushes within a minute; its failure is its own. */
async function tickMinute(t: TestContext, node: Usage): Promise<void> {
  t.mock.timers.tick(MINUTE_MS);
  await node.flush().catch((error) => assert.equal(error, UNAVAILABLE));
}

/** The rows by which nodes and clients notice a change. */
async function readState(db: Database): Promise<unknown> {
  const versions = await db.first("SELECT epoch, keys_version FROM store");
  const newest = await db.first("SELECT coalesce(max(number), 0) AS number FROM history");
  const audited = await db.first("SELECT count(*) AS number FROM audit");
  return { ...versions, newest, audited, foreign: db.foreignChanges?.() };
}
