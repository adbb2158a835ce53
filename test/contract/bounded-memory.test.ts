// Tables that live as long as the process: none of them grows with the number of callers.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyStore } from "../../src/domain/keys/api-key.ts";
import { createKeyCache } from "../../src/domain/keys/key-cache.ts";
import { createBoundedMap } from "../../src/tools/bounded-map.ts";
import { FREE_KEY } from "../harness/clients/free-key.ts";
import { createClock } from "../harness/servers/app.ts";

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
  const keys = { findBySecret: async () => FREE_KEY } as Partial<KeyStore> as KeyStore;
  const cache = createKeyCache({ keys, clock: createClock(0), generation: () => 0 });
  for (let i = 0; i <= 10_000; i++) await cache.find(`${i}`);
  assert.equal(cache.recall("0"), undefined);
  assert.equal(cache.recall("1")?.id, 1n);
});
