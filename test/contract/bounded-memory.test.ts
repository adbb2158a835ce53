// Tables that live as long as the process: none of them grows with the number of callers.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiKey, KeyStore } from "../../src/domain/keys/api-key.ts";
import { createKeyCache } from "../../src/domain/keys/key-cache.ts";
import { createSecretDigests, digestSecret } from "../../src/domain/keys/key-secret.ts";
import { type KeyCounts, NO_COUNTS } from "../../src/domain/keys/limits.ts";
import { createCountTable } from "../../src/gate/in-process.ts";
import { createBoundedMap } from "../../src/tools/bounded-map.ts";
import { createClock } from "../harness/servers/app.ts";

const KEYS = 200_000;
/** One block of the count table, with room for the buffers of the test runner. */
const BLOCK_BYTES_MAX = 2 ** 20;

function countsOf(number: number): KeyCounts {
  return { ...NO_COUNTS, day: { startMs: number, used: number } };
}

test("a count table reuses the memory of deleted counts", () => {
  const table = createCountTable();
  const before = process.memoryUsage().arrayBuffers;
  for (let number = 1; number <= KEYS; number++) {
    table.set(BigInt(number), countsOf(number));
    if (number > 10) table.delete(BigInt(number - 10));
  }
  const growth = process.memoryUsage().arrayBuffers - before;
  assert.ok(growth < BLOCK_BYTES_MAX, `${growth} bytes for 10 counts`);
  assert.equal([...table.ids()].length, 10);
  assert.equal(table.get(BigInt(KEYS - 10)), undefined);
  for (let number = KEYS - 9; number <= KEYS; number++)
    assert.deepEqual(table.get(BigInt(number)), countsOf(number));
});

test("a count table keeps the counts of many keys apart", () => {
  const table = createCountTable();
  for (let number = 0; number < 10_000; number++) table.set(BigInt(number), countsOf(number));
  for (let number = 0; number < 10_000; number++)
    assert.deepEqual(table.get(BigInt(number)), countsOf(number));
});

test("a bounded map keeps the entries that were set last", () => {
  const map = createBoundedMap<number, string>(3);
  for (let i = 0; i < 10_000; i++) map.set(i, `${i}`);
  assert.deepEqual([...map.entries()].length, 3);
  map.set(9_998, "set again");
  assert.deepEqual(
    [...map.entries()].map(([key]) => key),
    [9_997, 9_999, 9_998],
  );
  map.delete(9_998);
  assert.equal(map.get(9_998), undefined);
});

test("the key cache keeps 10,000 keys, and drops the oldest for another", async () => {
  const key: ApiKey = { id: 1n, name: "", plan: "free", access: "browse", hint: "", createdAtMs: 0 };
  const keys = { findBySecret: async () => key } as Partial<KeyStore> as KeyStore;
  const cache = createKeyCache({ keys, clock: createClock(0), generation: () => 0 });
  for (let i = 0; i <= 10_000; i++) await cache.find(`${i}`);
  assert.equal(cache.recall("0"), undefined);
  assert.equal(cache.recall("1")?.id, 1n);
});

test("secrets stay in memory for 5 s, and no more than 10,000 of them", () => {
  const clock = createClock(0);
  const digests = createSecretDigests(clock);
  for (let i = 0; i <= 10_000; i++) digests.remember(`secret ${i}`, "remembered");
  assert.equal(digests.of("secret 9999"), "remembered");
  assert.equal(digests.of("secret 10000"), digestSecret("secret 10000"));
  clock.advance(4_999);
  assert.equal(digests.of("secret 0"), "remembered");
  clock.advance(1);
  assert.equal(digests.of("secret 0"), digestSecret("secret 0"));
});
