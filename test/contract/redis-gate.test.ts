// The gate in Redis: the script decides like the domain, counts last, and versions follow the database.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { admit, type KeyCounts, NO_COUNTS, peek } from "../../src/domain/keys/admission.ts";
import { type ApiKey, KEY_KINDS } from "../../src/domain/keys/api-key.ts";
import { policyOf } from "../../src/domain/keys/plan.ts";
import { storeCounts } from "../../src/gate/redis/gate.ts";
import { FREE_KEY } from "../harness/clients/free-key.ts";
import { createClock } from "../harness/servers/app.ts";
import { openRedisGate } from "./redis-gate.ts";

const DAY_MS = 86_400_000;

test("the script decides like the domain in every sequence", { timeout: 120_000 }, async (t) => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const { gate } = await openRedisGate(t, { clock, timeOf: clock });
  assert.deepEqual(gate.faults(), []);
  let nextId = 1n;

  const limits = fc.record({
    perMinute: fc.integer({ min: 1, max: 70 }),
    perDay: fc.integer({ min: 1, max: 200 }),
    kind: fc.constantFrom(...KEY_KINDS),
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

  // During a ban, the window of a minute ends; then the clock is set back.
  const endedWindow = [
    charged(0, 2),
    charged(59_999, 51),
    charged(999, 1),
    { ...charged(-7_200_000, 1), isCharged: false },
  ];

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
    { numRuns: 120, examples: [[{ perMinute: 1, perDay: 1, kind: "secret" }, endedWindow]] },
  );
});

function charged(waitMs: number, times: number) {
  return { waitMs, times, unban: false, isCharged: true };
}

test("the requests of a tick are decided in their order, and each key has its own counts", async (t) => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const { gate } = await openRedisGate(t, { clock, timeOf: clock });
  const one: ApiKey = { ...FREE_KEY, id: 101n };
  const other: ApiKey = { ...FREE_KEY, id: 102n };
  const used = async (admissions: Array<ReturnType<typeof gate.admit>>) =>
    (await Promise.all(admissions)).map(({ windows: [minute] }) => 60 - (minute?.remaining ?? 0));
  const tick = [gate.admit(one), gate.admit(other), gate.peek(one), gate.admit(one), gate.peek(other)];
  assert.deepEqual(await used(tick), [1, 1, 1, 2, 1]);
  assert.deepEqual(await used([gate.peek(one), gate.peek(other)]), [2, 1], "as stored");
});

test("counts that are copied to Redis go on as they would have gone on, with their bans", async (t) => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const { redis, gate } = await openRedisGate(t, { clock, timeOf: clock });
  const nowMs = clock.nowMs();
  let counts: KeyCounts = {
    minute: { startMs: nowMs - 10_000, used: 7 },
    day: { startMs: nowMs - 20_000, used: 70 },
    refusals: { startMs: nowMs - 5_000, used: 50 },
    refusedSinceMs: 0,
    ban: { startMs: nowMs - 7_200_000, endMs: nowMs - 7_000_000, number: 2 },
  };
  const key: ApiKey = { ...FREE_KEY, id: 5n, plan: "enterprise", perMinute: 8, perDay: 1_000 };
  await storeCounts({ url: redis.url, prefix: "test" }, new Map([[key.id, counts]]));
  let longestBanMs = 0;
  for (let second = 0; second < 4; second++) {
    const expected = admit(counts, policyOf(key), clock.nowMs());
    counts = expected.counts;
    const { versions, ...answer } = await gate.admit(key);
    assert.deepEqual(answer, expected.admission);
    longestBanMs = Math.max(longestBanMs, (answer.bannedUntilMs ?? 0) - clock.nowMs());
    clock.advance(1_000);
  }
  assert.equal(longestBanMs, 240_000, "the third ban in a row");
});

test("counts are not copied to a Redis that does not answer, and the command says so", async (t) => {
  const { proxy } = await openRedisGate(t);
  proxy.set("refuse");
  const url = `redis://127.0.0.1:${proxy.port}`;
  await assert.rejects(storeCounts({ url, prefix: "test" }, new Map()), {
    message: /^Redis cannot be used: connection closed\. Check REDIS_URL/,
  });
});

test("counts and versions stay in Redis for longer than a day, and then expire", async (t) => {
  const { redis, gate } = await openRedisGate(t);
  const ttlMs = async (name: string) =>
    Number(/-?\d+/.exec(await redis.command("PTTL", `test:${name}`))?.[0]);
  const isKept = async (name: string) => {
    const left = await ttlMs(name);
    assert.ok(left > DAY_MS && left < 2 * DAY_MS, `${name} expires in ${left} ms`);
  };
  await gate.admit({ ...FREE_KEY, id: 1n });
  await isKept("k:1");
  await isKept("version:pets:one");
  await gate.peek({ ...FREE_KEY, id: 2n, version: 3 });
  await isKept("k:2");
  await gate.publishKeyVersion(3n, 4);
  await isKept("k:3");

  await redis.command("PEXPIRE", "test:k:1", "3600000");
  await gate.admit({ ...FREE_KEY, id: 1n });
  await isKept("k:1");
  await redis.command("DEL", "test:version:pets:one");
  await gate.publishPetsVersion(6);
  await isKept("version:pets:one");
});

test("versions never fall, even if Redis loses them", async (t) => {
  const { redis, gate } = await openRedisGate(t);
  const pets = async () => (await gate.admit(FREE_KEY)).versions?.pets;
  assert.equal(await pets(), 5);
  await gate.publishPetsVersion(7);
  assert.equal(await pets(), 7);
  await gate.publishPetsVersion(6);
  assert.equal(await pets(), 7, "never lower");
  await redis.command("SET", "test:version:pets:one", "9");
  assert.equal(await pets(), 9, "another node has published it");
  await redis.command("FLUSHALL");
  assert.equal(await pets(), 9, "the node publishes it again");
  assert.match(await redis.command("GET", "test:version:pets:one"), /\r\n9\r\n/);
});

test("a key that was read before its last change is not charged", async (t) => {
  const { gate } = await openRedisGate(t);
  assert.equal((await gate.admit({ ...FREE_KEY, version: 3 })).verdict, "admitted");
  await gate.publishKeyVersion(FREE_KEY.id, 4);
  await gate.publishKeyVersion(2n, 9);
  const stale = await gate.admit({ ...FREE_KEY, version: 3 });
  assert.deepEqual([stale.verdict, stale.versions?.key], ["stale", 4]);
  const { windows, verdict } = await gate.admit({ ...FREE_KEY, version: 4 });
  assert.equal(verdict, "admitted");
  assert.equal(windows[0]?.remaining, 58);
});

test("a key that another node has changed is stale in Redis, and not charged", async (t) => {
  const { redis, gate } = await openRedisGate(t);
  await redis.command("HSET", "test:k:1", "v:one", "4");
  const stale = await gate.admit({ ...FREE_KEY, version: 3 });
  assert.deepEqual([stale.verdict, stale.versions?.key], ["stale", 4]);
  assert.equal((await gate.admit({ ...FREE_KEY, version: 4 })).windows[0]?.remaining, 59);
});

test("after the database was set back, no earlier version is taken for a current one", async (t) => {
  const { gate, database } = await openRedisGate(t, { isNode: true });
  await gate.publishPetsVersion(100);
  const before = (await gate.admit(FREE_KEY)).versions?.pets as number;
  // Below what was published: as after a dump that was restored.
  while (database.stored.epoch === "one") await pause(10);
  while ((await gate.peek(FREE_KEY)).versions?.pets === before) await pause(10);
  assert.ok(((await gate.peek(FREE_KEY)).versions?.pets as number) > before);
  await gate.publishKeyVersion(FREE_KEY.id, 2);
  assert.equal((await gate.admit({ ...FREE_KEY, version: 2 })).verdict, "admitted");
});

/** A dump was restored while all nodes were stopped: Redis still has a version that the database will assign again. */
const KEYS_GONE_BACK = {
  "of a key that was read before": { ...FREE_KEY, version: 3 },
  "of a key that was read under the version in Redis": { ...FREE_KEY, version: 9 },
};
for (const [what, key] of Object.entries(KEYS_GONE_BACK)) {
  test(`a version in Redis that the database has lost begins a new epoch, with an admission ${what}`, async (t) => {
    const { redis, gate, database } = await openRedisGate(t, { isNode: true });
    database.stored.keys = 4;
    await redis.command("HSET", "test:k:1", "v:one", "9");
    const before = gate.generation();
    await gate.admit(key);
    const endMs = performance.now() + 3_000;
    while (gate.generation() === before && performance.now() < endMs) await pause(10);
    assert.notEqual(gate.generation(), before, "nothing that was kept is used any more");
    assert.notEqual(database.stored.epoch, "one");
    database.stored.keys = 5;
    await gate.publishKeyVersion(FREE_KEY.id, 5);
    assert.equal(
      (await gate.admit({ ...FREE_KEY, version: 4 })).verdict,
      "stale",
      "the next change is noticed",
    );
    assert.equal((await gate.admit({ ...FREE_KEY, version: 5 })).verdict, "admitted");
  });
}

test("a decision that Redis made in an earlier epoch brings no versions into the new one", async (t) => {
  const { redis, proxy, gate, database } = await openRedisGate(t, { isNode: true });
  await redis.command("HSET", "test:k:1", "v:one", "9");
  const before = gate.generation();
  const held = proxy.holdAnswersTo("\r\ntest:k:1\r\n");
  const asked = gate.admit({ ...FREE_KEY, version: 9 });
  await held;
  Object.assign(database.stored, { epoch: "two", keys: 4 });
  while (gate.generation() === before) await pause(10);
  proxy.set("pass");
  const { verdict, versions } = await asked;
  assert.deepEqual([verdict, versions], ["admitted", undefined], "no page is cached under an old version");
  const { count } = database.reading;
  while (database.reading.count < count + 3) await pause(10);
  assert.equal(database.stored.epoch, "two", "version 9 is not one that the database has lost");
});

test("a key version from Redis during a read of the database begins no new epoch", async (t) => {
  const { redis, gate, database } = await openRedisGate(t, { isNode: true });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  database.reading.hold = held;
  const { count } = database.reading;
  while (database.reading.count === count) await pause(10);
  // Changed after the read that is still under way.
  database.stored.keys = 9;
  await redis.command("HSET", "test:k:1", "v:one", "9");
  assert.equal((await gate.admit({ ...FREE_KEY, version: 3 })).verdict, "stale");
  release();
  while (database.reading.count < count + 3) await pause(10);
  assert.equal(database.stored.epoch, "one");
});
