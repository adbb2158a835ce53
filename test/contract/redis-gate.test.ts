// The gate in Redis decides as the arithmetic of the domain does, step by step.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { ApiKey } from "../../src/domain/api-key.ts";
import { policyOf } from "../../src/domain/gate.ts";
import { admit, type KeyCounts, NO_COUNTS, peek, type Versions } from "../../src/domain/limits.ts";
import { createRedisGate } from "../../src/gate/redis.ts";
import { createClock, type ManualClock } from "../harness/app.ts";
import { startRedis } from "../harness/redis.ts";

const DAY_MS = 86_400_000;
const KEY: ApiKey = { id: 1n, name: "", plan: "free", access: "manage", hint: "", createdAtMs: 0 };

/** `timeOf` is asked for the time instead of Redis. */
async function openGate(t: TestContext, clock: ManualClock, timeOf?: ManualClock) {
  const redis = await startRedis(t);
  const options = {
    url: redis.url,
    prefix: "test",
    isNode: true,
    timeoutMs: 5_000,
    clock,
    timeOf,
    onStateChange: () => {},
  };
  const gate = await createRedisGate(options);
  t.after(() => gate.close());
  return { redis, gate };
}

test("the script agrees with the domain in every sequence", { timeout: 120_000 }, async (t) => {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const { gate } = await openGate(t, clock, clock);
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
          assert.ok(versions !== undefined && versions.pets > 0);
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

test("versions rise with every change, and above all they were when Redis has lost them", async (t) => {
  const { redis, gate } = await openGate(t, createClock(Date.now()));
  const first = (await gate.admit(KEY)).versions as Versions;
  await gate.raisePets();
  assert.deepEqual((await gate.admit(KEY)).versions, { pets: first.pets + 1, key: first.key });
  await gate.raiseKey(KEY.id);
  assert.deepEqual((await gate.admit(KEY)).versions, { pets: first.pets + 1, key: first.key + 1 });
  await redis.command("FLUSHALL");
  const later = (await gate.admit(KEY)).versions as Versions;
  assert.ok(later.pets > first.pets + 1 && later.key > first.key + 1);
});

test("a key that was read before its last change is not charged", async (t) => {
  const { gate } = await openGate(t, createClock(Date.now()));
  const { key } = (await gate.admit(KEY)).versions as Versions;
  await gate.raiseKey(KEY.id);
  await gate.raiseKey(2n);
  assert.equal((await gate.admit({ ...KEY, version: key })).verdict, "stale");
  const { windows, verdict } = await gate.admit({ ...KEY, version: key + 1 });
  assert.equal(verdict, "admitted");
  assert.equal(windows[0]?.remaining, 58);
});
