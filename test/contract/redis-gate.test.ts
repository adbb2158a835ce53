// The gate in Redis decides as the arithmetic of the domain does, step by step.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import type { ApiKey } from "../../src/domain/keys/api-key.ts";
import { policyOf } from "../../src/domain/keys/gate.ts";
import { admit, type KeyCounts, NO_COUNTS, peek } from "../../src/domain/keys/limits.ts";
import type { KeyVersion, VersionStore } from "../../src/domain/versions.ts";
import { createRedisGate } from "../../src/gate/redis/gate.ts";
import { createServerClock } from "../../src/gate/redis/server-clock.ts";
import { createClock, type ManualClock } from "../harness/app.ts";
import { startProxy } from "../harness/proxy.ts";
import { startRedis } from "../harness/redis.ts";

const DAY_MS = 86_400_000;
const KEY: ApiKey = { id: 1n, name: "", plan: "free", access: "manage", hint: "", createdAtMs: 0 };

interface Options {
  clock?: ManualClock;
  timeOf?: ManualClock;
  isNode?: boolean;
  timeoutMs?: number;
}

/** What the database would say. */
function createVersions() {
  const stored = { epoch: "one", pets: 5, keys: 0 };
  const changed: KeyVersion[] = [];
  const reading = { count: 0, hold: Promise.resolve() };
  const store: VersionStore = {
    async read() {
      reading.count += 1;
      const snapshot = { ...stored };
      await reading.hold;
      return snapshot;
    },
    listChangedKeys: async (version) => changed.filter((each) => each.version > version),
    renewEpoch: async (epoch) => {
      if (stored.epoch === epoch) stored.epoch = `after ${epoch}`;
    },
  };
  return { stored, changed, reading, store };
}

/** `timeOf` is asked for the time instead of Redis. Only a node looks into the database again and again. */
async function openGate(
  t: TestContext,
  { clock = createClock(Date.now()), timeOf, isNode = false, timeoutMs = 5_000 }: Options = {},
) {
  const redis = await startRedis(t);
  const proxy = await startProxy(t, redis.port);
  const database = createVersions();
  const options = {
    url: `redis://127.0.0.1:${proxy.port}`,
    prefix: "test",
    isNode,
    timeoutMs,
    clock,
    timeOf,
    versions: database.store,
    nodes: { beat: async () => 1, leave: async () => {} },
    onStateChange: () => {},
    onWatchError: (error: unknown) => assert.fail(String(error)),
  };
  const gate = await createRedisGate(options);
  t.after(() => gate.close());
  return { redis, proxy, gate, database };
}

test("the script agrees with the domain in every sequence", { timeout: 120_000 }, async (t) => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const { gate } = await openGate(t, { clock, timeOf: clock });
  assert.deepEqual(gate.faults(), []);
  let nextId = 1n;

  const limits = fc.record({
    perMinute: fc.integer({ min: 1, max: 70 }),
    perDay: fc.integer({ min: 1, max: 200 }),
  });
  const moves = fc.array(
    fc.record({
      waitMs: fc.oneof(
        { weight: 6, arbitrary: fc.constant(0) },
        fc.integer({ min: -5_000, max: 2_000 }),
        fc.constantFrom(
          999,
          1_000,
          1_001,
          59_999,
          60_000,
          60_001,
          120_000,
          3_600_000,
          DAY_MS - 1,
          DAY_MS,
          -DAY_MS,
          -7_200_000,
        ),
      ),
      times: fc.integer({ min: 1, max: 70 }),
      unban: fc.boolean(),
      isCharged: fc.boolean(),
    }),
    { minLength: 1, maxLength: 15 },
  );

  await fc.assert(
    fc.asyncProperty(limits, moves, async (plan, steps) => {
      const id = nextId++;
      let counts: KeyCounts = NO_COUNTS;
      let unbannedAtMs: number | undefined;
      for (const { waitMs, times, unban, isCharged } of steps) {
        clock.advance(waitMs);
        if (unban && waitMs !== 0) unbannedAtMs = clock.nowMs();
        const key: ApiKey = {
          id,
          name: "",
          plan: "enterprise",
          access: "manage",
          hint: "",
          createdAtMs: 0,
          ...plan,
          unbannedAtMs,
        };
        // All at once: they go through one connection in order, as a burst would.
        const answers = await Promise.all(
          Array.from({ length: times }, () => (isCharged ? gate.admit(key) : gate.peek(key))),
        );
        for (const { versions, ...answer } of answers) {
          assert.equal(versions?.pets, 5);
          if (isCharged) {
            const expected = admit(counts, policyOf(key), clock.nowMs());
            counts = expected.counts;
            assert.deepEqual(answer, expected.admission);
          } else {
            assert.deepEqual(answer, peek(counts, policyOf(key), clock.nowMs()));
          }
        }
      }
    }),
    { numRuns: 120 },
  );
});

test("versions are those of the database, whatever Redis has lost or heard", async (t) => {
  const { redis, gate } = await openGate(t);
  const pets = async () => (await gate.admit(KEY)).versions?.pets;
  assert.equal(await pets(), 5);
  await gate.publishPetsVersion(7);
  assert.equal(await pets(), 7);
  await gate.publishPetsVersion(6);
  assert.equal(await pets(), 7, "never lower");
  await redis.command("SET", "test:version:pets:one", "9");
  assert.equal(await pets(), 9, "another node has published it");
  await redis.command("FLUSHALL");
  assert.equal(await pets(), 9, "Redis gets it back from whoever knows it");
  assert.match(await redis.command("GET", "test:version:pets:one"), /\r\n9\r\n/);
});

test("a key that was read before its last change is not charged", async (t) => {
  const { gate } = await openGate(t);
  assert.equal((await gate.admit({ ...KEY, version: 3 })).verdict, "admitted");
  await gate.publishKeyVersion(KEY.id, 4);
  await gate.publishKeyVersion(2n, 9);
  const stale = await gate.admit({ ...KEY, version: 3 });
  assert.deepEqual([stale.verdict, stale.versions?.key], ["stale", 4]);
  const { windows, verdict } = await gate.admit({ ...KEY, version: 4 });
  assert.equal(verdict, "admitted");
  assert.equal(windows[0]?.remaining, 58);
});

test("a key that another node has changed is stale in Redis, and not charged", async (t) => {
  const { redis, gate } = await openGate(t);
  await redis.command("HSET", "test:k:1", "v:one", "4");
  const stale = await gate.admit({ ...KEY, version: 3 });
  assert.deepEqual([stale.verdict, stale.versions?.key], ["stale", 4]);
  assert.equal((await gate.admit({ ...KEY, version: 4 })).windows[0]?.remaining, 59);
});

test("a change that Redis never hears of is noticed in the database", async (t) => {
  const { gate, database } = await openGate(t, { isNode: true });
  assert.equal((await gate.admit({ ...KEY, version: 3 })).verdict, "admitted");
  database.stored.pets = 8;
  database.stored.keys = 6;
  database.changed.push({ id: KEY.id, version: 6 });
  while ((await gate.peek({ ...KEY, version: 3 })).verdict !== "stale") await pause(10);
  assert.equal((await gate.peek({ ...KEY, version: 6 })).versions?.pets, 8);
});

test("after the database has gone back in time, no number of before is taken for one of now", async (t) => {
  const { gate, database } = await openGate(t, { isNode: true });
  await gate.publishPetsVersion(100);
  const before = (await gate.admit(KEY)).versions?.pets as number;
  // Below what was published: as after a dump that was restored.
  while (database.stored.epoch === "one") await pause(10);
  while ((await gate.peek(KEY)).versions?.pets === before) await pause(10);
  assert.ok(((await gate.peek(KEY)).versions?.pets as number) > before);
  await gate.publishKeyVersion(KEY.id, 2);
  assert.equal((await gate.admit({ ...KEY, version: 2 })).verdict, "admitted");
});

/** A dump was put back while all nodes were stopped: Redis still has a version that the database gives out again. */
const KEYS_GONE_BACK = {
  "of a key that was read before": { ...KEY, version: 3 },
  "of a key that was read under the version in Redis": { ...KEY, version: 9 },
};
for (const [what, key] of Object.entries(KEYS_GONE_BACK)) {
  test(`a version in Redis that the database has lost begins a new epoch, with an admission ${what}`, async (t) => {
    const { redis, gate, database } = await openGate(t, { isNode: true });
    database.stored.keys = 4;
    await redis.command("HSET", "test:k:1", "v:one", "9");
    const before = gate.generation();
    await gate.admit(key);
    const endMs = performance.now() + 3_000;
    while (gate.generation() === before && performance.now() < endMs) await pause(10);
    assert.notEqual(gate.generation(), before, "nothing that was kept is used any more");
    assert.notEqual(database.stored.epoch, "one");
    database.stored.keys = 5;
    await gate.publishKeyVersion(KEY.id, 5);
    assert.equal((await gate.admit({ ...KEY, version: 4 })).verdict, "stale", "the next change is noticed");
    assert.equal((await gate.admit({ ...KEY, version: 5 })).verdict, "admitted");
  });
}

test("a key version that Redis tells while the database is being read begins no new epoch", async (t) => {
  const { redis, gate, database } = await openGate(t, { isNode: true });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  database.reading.hold = held;
  const { count } = database.reading;
  while (database.reading.count === count) await pause(10);
  // Changed after the read that is still under way.
  database.stored.keys = 9;
  await redis.command("HSET", "test:k:1", "v:one", "9");
  assert.equal((await gate.admit({ ...KEY, version: 3 })).verdict, "stale");
  release();
  while (database.reading.count < count + 3) await pause(10);
  assert.equal(database.stored.epoch, "one");
});

test("a version that commits while Redis is coming back is published before its write is answered", async (t) => {
  const { redis, proxy, gate } = await openGate(t);
  proxy.set("reset");
  await gate.admit(KEY);
  assert.equal(gate.faults().length, 1);
  // The command that publishes: its answer makes Redis count as available.
  const held = proxy.holdAnswersTo("\r\ntest:version:pets:one\r\n");
  proxy.set("pass");
  await held;
  const published = gate.publishPetsVersion(9);
  proxy.set("pass");
  await published;
  assert.deepEqual(gate.faults(), []);
  assert.match(await redis.command("GET", "test:version:pets:one"), /\r\n9\r\n/);
});

test("a request that the node decides itself is not charged in Redis later", async (t) => {
  const { redis, gate } = await openGate(t, { timeoutMs: 200 });
  const ask = (count: number) => Promise.all(Array.from({ length: count }, () => gate.admit(KEY)));
  const used = async () => Number(/\r\n(\d+)\r\n/.exec(await redis.command("HGET", "test:k:1", "mu"))?.[1]);
  await ask(3);
  assert.equal(await used(), 3);
  for (let round = 1; round <= 3; round++) {
    redis.signal("SIGSTOP");
    for (const { verdict } of await ask(5)) assert.equal(verdict, "admitted");
    assert.equal(gate.faults().length, 1, "the node went on by itself");
    redis.signal("SIGCONT");
    while (gate.faults().length > 0) await pause(10);
    assert.equal(await used(), 3, "what waited in Redis meanwhile has charged nothing");
  }
  await ask(2);
  assert.equal(await used(), 5, "exact again");
});

test("a Redis that is only slow charges every request once", async (t) => {
  const { redis, gate } = await openGate(t);
  for (let round = 1; round <= 3; round++) {
    redis.signal("SIGSTOP");
    const asked = Promise.all([1, 2, 3].map(() => gate.admit(KEY)));
    await pause(150);
    redis.signal("SIGCONT");
    const remaining = (await asked).map(({ windows }) => windows[0]?.remaining);
    assert.deepEqual(
      remaining,
      [1, 2, 3].map((number) => 60 - 3 * (round - 1) - number),
    );
  }
});

test("the clock of Redis is estimated from its replies, never ahead of it", async (t) => {
  await t.test("by the quickest of them", () => {
    const clock = createServerClock();
    assert.equal(clock.at(0), undefined);
    // The server is 1,000 ms ahead; its replies take 40, 2 and 30 ms.
    clock.note(1_010, 50);
    clock.note(1_100, 102);
    clock.note(1_200, 230);
    assert.equal(clock.at(300), 1_298);
  });
  await t.test("a reply that proves it wrong counts at once", () => {
    const clock = createServerClock();
    clock.note(1_010, 10);
    clock.correct(9_020, 20);
    assert.equal(clock.at(20), 9_020);
  });
  await t.test("a clock that was set back is followed after a while", () => {
    const clock = createServerClock();
    clock.note(100_000, 5_000);
    clock.note(5_001, 10_001);
    assert.equal(clock.at(10_001), 105_001, "the higher one may still be right");
    clock.note(10_002, 15_002);
    assert.equal(clock.at(15_002), 10_002);
  });
});
