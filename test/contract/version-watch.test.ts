// The versions that a node knows: they never fall within an epoch, and nothing of an old epoch counts in a new one.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { startVersionWatch } from "../../src/gate/redis/version-watch.ts";
import { createVersions } from "./redis-gate.ts";

const READ_EVERY_MS = 250;

async function start(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const database = createVersions();
  const watch = await startVersionWatch({ store: database.store, isRepeated: true, onError: assert.ifError });
  t.after(() => watch.close());
  const tick = () => t.mock.timers.tick(READ_EVERY_MS);
  const read = async () => {
    tick();
    await yieldToEventLoop();
  };
  return { ...database, watch, tick, read };
}

test("the animals' version is the higher one of the database and this node", async (t) => {
  const { stored, reading, watch, tick, read } = await start(t);
  assert.equal(watch.pets, 5);
  stored.pets = 8;
  await read();
  assert.equal(watch.pets, 8);
  watch.notePetsVersion(7);
  assert.equal(watch.pets, 8);

  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  reading.hold = hold;
  tick();
  stored.pets = 9;
  watch.notePetsVersion(9);
  release();
  await yieldToEventLoop();
  assert.deepEqual([watch.pets, watch.epoch], [9, "one"], "a change during a read");
});

test("all changed keys are read, however many, and the newest version of each counts", async (t) => {
  const { stored, changed, watch, read } = await start(t);
  stored.keys = 2_500;
  for (let version = 1; version <= stored.keys; version++) changed.push({ id: BigInt(version), version });
  await read();
  assert.deepEqual(
    [1n, 1_000n, 1_001n, 2_500n, 2_501n].map((id) => watch.versionOfKey(id)),
    [1, 1_000, 1_001, 2_500, 0],
  );
  watch.noteKeyVersion(7n, 2_502);
  watch.noteKeyVersion(7n, 2_501);
  assert.equal(watch.versionOfKey(7n), 2_502);
});

test("versions of keys from an old epoch do not count in a new one", async (t) => {
  const { stored, changed, watch, read } = await start(t);
  stored.keys = 6;
  changed.push({ id: 1n, version: 6 });
  await read();
  watch.noteRedisKeyVersion(6);
  assert.equal(watch.versionOfKey(1n), 6);

  const before = watch.generation;
  changed.length = 0;
  Object.assign(stored, { epoch: "two", keys: 4 });
  await read();
  assert.equal(watch.epoch, "two");
  assert.notEqual(watch.generation, before);
  assert.equal(watch.versionOfKey(1n), 0, "the database will assign 5 and 6 again");
  await read();
  assert.equal(stored.epoch, "two", "a number of the old epoch begins no third one");

  stored.keys = 5;
  changed.push({ id: 1n, version: 5 });
  await read();
  assert.equal(watch.versionOfKey(1n), 5);
});

test("a new epoch never repeats a sum of generation and version", async (t) => {
  const { stored, watch, read } = await start(t);
  const sums = [watch.generation + watch.pets];
  for (const [epoch, pets] of [
    ["two", 3],
    ["three", 900],
    ["four", 0],
    ["five", 1],
  ] as const) {
    Object.assign(stored, { epoch, pets });
    await read();
    sums.push(watch.generation + watch.pets);
    stored.pets += 1;
    watch.notePetsVersion(stored.pets);
    sums.push(watch.generation + watch.pets);
  }
  assert.deepEqual(
    sums,
    sums.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(sums).size, sums.length);
});
