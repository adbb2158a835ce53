// How long a key is cached: until it changes, or for 5 s by the monotonic clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiKey, KeyStore } from "../../../src/domain/keys/api-key.ts";
import { createKeyCache } from "../../../src/domain/keys/key-cache.ts";
import { FREE_KEY } from "../../harness/clients/free-key.ts";
import { createClock } from "../../harness/servers/app.ts";

const KEY: ApiKey = { ...FREE_KEY, version: 3 };

function open() {
  const clock = createClock(Date.UTC(2027, 0, 1));
  const state = { generation: 0, reads: 0, stored: KEY as ApiKey | undefined };
  const findBySecret = async () => {
    state.reads += 1;
    return state.stored;
  };
  const keys = { findBySecret } as Partial<KeyStore> as KeyStore;
  const cache = createKeyCache({ keys, clock, generation: () => state.generation });
  return { clock, state, cache };
}

test("a key is cached for 5 s, also when the clock is set back", async () => {
  const { clock, cache } = open();
  await cache.find("a");
  clock.set(clock.nowMs() - 3_600_000);
  clock.advance(4_999);
  assert.equal(cache.recall("a")?.id, 1n);
  clock.advance(1);
  assert.equal(cache.recall("a"), undefined);
});

test("a key is read once per version", async () => {
  const { state, cache } = open();
  await cache.find("a");
  await cache.find("a");
  cache.renew(1n, 3);
  await cache.find("a");
  assert.equal(state.reads, 1);
  cache.renew(1n, 4);
  state.stored = { ...KEY, version: 4 };
  await cache.find("a");
  await cache.find("a");
  assert.equal(state.reads, 2);
});

test("a reported version that the database no longer has causes one read, not one per request", async () => {
  const { cache } = open();
  await cache.find("a");
  cache.renew(1n, 9);
  assert.equal((await cache.find("a"))?.version, 9, "as new as it can be");
  assert.equal(cache.recall("a")?.version, 9);
});

test("a key that this node changes during its look-up is not cached", async () => {
  const { cache } = open();
  const reading = cache.find("a");
  cache.forget(1n);
  assert.equal((await reading)?.id, 1n);
  assert.equal(cache.recall("a"), undefined);
  await cache.find("a");
  assert.equal(cache.recall("a")?.id, 1n);
});

test("a key of an earlier generation is not used, even if its read ends later", async () => {
  const { state, cache } = open();
  const reading = cache.find("a");
  state.generation = 1;
  await reading;
  assert.equal(cache.recall("a"), undefined);
  state.generation = Number.NaN;
  await cache.find("a");
  assert.equal(cache.recall("a"), undefined, "nor while the generation is unknown");
});

test("versions reported in an earlier generation do not count in a later one", async () => {
  const { state, cache } = open();
  await cache.find("a");
  cache.renew(1n, 9);
  state.generation = 1;
  state.stored = { ...KEY, version: 2 };
  assert.equal((await cache.find("a"))?.version, 2);
  assert.equal(cache.recall("a")?.version, 2);
  cache.renew(1n, 3);
  assert.equal(cache.recall("a"), undefined, "and its own changes are noticed");
});
