// How long a page of animals is cached.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PetStore } from "../../../src/domain/animals/pet-store.ts";
import { encodeCursor } from "../../../src/domain/basics/cursor.ts";
import { createPetPages } from "../../../src/http/pages/pet-pages.ts";
import { createClock } from "../../harness/servers/app.ts";

/** Pages over a store whose list is different with each read. */
function createParts() {
  const clock = createClock(Date.UTC(2027, 0, 1));
  let reads = 0;
  const store = { hold: Promise.resolve(), jsonOf: (read: number) => `[${read}]` };
  const list = async () => {
    const json = store.jsonOf(++reads);
    await store.hold;
    return { json, nextAfter: undefined };
  };
  const pets = { list } as Partial<PetStore> as PetStore;
  const pages = createPetPages({ pets, clock, publicUrl: () => "http://x" });
  /** As a request does: from the cache, or from the store. */
  const get = async (version: number, request = { limit: 20 }) =>
    (pages.recall(request, version) ?? (await pages.read(request, version))).body;
  return { clock, store, pages, get };
}

test("a page is cached for 1 s, also when the clock is set back", async () => {
  const { clock, pages, get } = createParts();
  await get(7);
  clock.set(clock.nowMs() - 3_600_000);
  clock.advance(999);
  assert.equal(pages.recall({ limit: 20 }, 7)?.body, "[1]");
  for (const version of [8, 6, undefined])
    assert.equal(pages.recall({ limit: 20 }, version), undefined, "under its own version only");
  clock.advance(1);
  assert.equal(pages.recall({ limit: 20 }, 7), undefined);
  assert.equal(await get(7), "[2]");
  clock.advance(999);
  assert.equal(await get(7), "[2]", "cached for another second");
});

test("requests that come at once share one read of a page, and not the read of another version", async () => {
  const { get } = createParts();
  assert.deepEqual(await Promise.all([get(7), get(7), get(8)]), ["[1]", "[1]", "[2]"]);
});

test("the second of a page begins before its read, which may have missed a later change", async () => {
  const { clock, store, pages, get } = createParts();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  store.hold = promise;
  const reading = get(7);
  clock.advance(600);
  release();
  await reading;
  clock.advance(399);
  assert.equal(pages.recall({ limit: 20 }, 7)?.body, "[1]");
  clock.advance(1);
  assert.equal(pages.recall({ limit: 20 }, 7), undefined);
});

test("a read that fails fails the requests that share it, and the next one reads again", async () => {
  const { store, get } = createParts();
  store.hold = Promise.reject(new Error("the disk does not answer"));
  for (const each of [get(7), get(7)]) await assert.rejects(each, /does not answer/);
  store.hold = Promise.resolve();
  assert.equal(await get(7), "[2]");
});

test("a large page is read each time", async () => {
  const { store, get } = createParts();
  const jsonOf = (read: number, length: number) => `"${String(read).padEnd(length - 2)}"`;
  for (const [length, reads] of [
    [32_768, [1, 1]],
    [32_769, [2, 3]],
  ] as const) {
    store.jsonOf = (read) => jsonOf(read, length);
    // Another limit has another place in the cache.
    const request = { limit: length % 100 };
    const bodies = [await get(7, request), await get(7, request)];
    assert.deepEqual(
      bodies.map((body) => Number(JSON.parse(body))),
      reads,
    );
  }
});

test("a page behind a cursor is read each time", async () => {
  const { pages } = createParts();

  const request = { limit: 20, cursor: encodeCursor("pets", 20n) };
  assert.equal((await pages.read(request, 7)).body, "[1]");
  assert.equal(pages.recall(request, 7), undefined);
  assert.equal((await pages.read(request, 7)).body, "[2]");
});
