// The fast path of listListings and getListing: the same bytes as through the framework, and every change visible.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LISTING_SORTS, type ListingStore } from "../../src/domain/animals/listing.ts";
import { createListingPages } from "../../src/http/pages/listing-pages.ts";
import { readListingsQuery } from "../../src/http/pages/listings-query.ts";
import { areTaken, readBytes, THROUGH_THE_FRAMEWORK } from "../harness/clients/fast-path.ts";
import { nextPath } from "../harness/clients/pages.ts";
import { createClock, startApp } from "../harness/servers/app.ts";

const DAY_MS = 86_400_000;

/** Paths below /v1/listings that the fast path answers. */
const TAKEN =
  `/2 /2?x=1 ?q=Rex ?q=oM&status=any ?q=1 ?q=nothing ?limit=2 ?status=sold ?status=any ?sort=oldest&limit=1 ?species=dog&sex=male ?size=small ?ageGroup=baby
  ?categoryId=3 ?shelterId=1 ?shelterId=2&limit=1 ?x=1 ?species=dog&sort=newest&status=available&limit=100`.split(
    /\s+/,
  );
/** Paths that it passes to the framework. */
const PASSED_ON =
  `/ /0 /99 ?q= ?q=Rex+dog ?q=R%C3%A9x ?q=rex&q=rex ?status=sold,available ?status=Sold ?goodWith=cats ?ids=1,2
  ?updatedSince=2026-01-01T00:00:00Z ?species=dragon ?sex=male&sex=male ?limit=0 ?categoryId=-3 ?categoryId=x
  ?shelterId=1,2 ?shelterId=01 ?shelterId=x ?shelterId=1&shelterId=1 ?near=52.5,13.4 ?near=91,0 ?within=5
  ?sort=name ?cursor=x ?specie%73=dog x /count /count?species=dog`.split(/\s+/);

test("The fast path of listings", async (t) => {
  const app = await startApp(t);
  const { call, clock, addPet } = app;
  for (const [name, profile] of Object.entries({
    Rex: { species: "dog", sex: "male", bornOn: "2026-12-01" },
    'Lu"na 🐈': { species: "cat", size: "small", description: "a\nb" },
    Momo: { species: "dog" },
  })) {
    const { id } = await addPet({ name });
    await call("PATCH", `/pets/${id}/profile`, { body: profile });
  }
  const next = nextPath(await call("GET", "/listings?limit=1")).replace("/listings", "");
  const taken = ["", ...TAKEN, next];

  for (const path of [...taken, ...PASSED_ON])
    await t.test(`answers /v1/listings${path} with the same bytes as through the framework`, async () => {
      const slow = await readBytes(app, `/listings${path}`, { extra: THROUGH_THE_FRAMEWORK });
      for (let i = 0; i < 2; i++) assert.equal(await readBytes(app, `/listings${path}`), slow);
    });

  await t.test("answers plain reads itself, and passes all others to the framework", async () => {
    const found = await areTaken(app, async () => {
      for (const path of [...taken, ...PASSED_ON]) await readBytes(app, `/listings${path}`);
    });
    // PostgreSQL without Redis looks every key up, but ADMIN_API_KEY is in memory.
    assert.deepEqual(found, [...taken.map(() => true), ...PASSED_ON.map(() => false)]);
  });

  await t.test("shows every change in the next list and the next read", async () => {
    const paths = ["/listings", "/listings/1", "/listings?species=dog"];
    const shown = () => Promise.all(paths.map(async (path) => (await call("GET", path)).text));
    const changes: Array<[string, string, object | undefined]> = [
      ["PATCH", "/pets/1/profile", { tags: ["new"] }],
      ["PATCH", "/pets/1", { name: "Rexi" }],
      ["PATCH", "/shelters/1", { name: "Riverside" }],
      ["PUT", "/categories/3", { name: "Named" }],
      ["DELETE", "/categories/3", undefined],
    ];
    for (const [method, path, body] of changes) {
      const before = await shown();
      clock.advance(1);
      assert.match(String((await call(method, path, body && { body })).status), /^2/);
      const after = await shown();
      for (const [index, text] of after.entries()) assert.notEqual(text, before[index], `${method} ${path}`);
    }
  });
});

/** Cached pages over a store whose list is different with each read. */
function createPages(startMs: number) {
  const clock = createClock(startMs);
  let reads = 0;
  const list: ListingStore["list"] = async (_filter, _page, { nowMs }) => ({
    json: `[${++reads},${Math.floor(nowMs / DAY_MS)}]`,
    nextAfter: undefined,
  });
  const listings = { list } as Partial<ListingStore> as ListingStore;
  const pages = createListingPages({ listings, clock, publicUrl: () => "http://x" });
  /** The number and the day of the read. */
  const get = async (query: object = {}): Promise<number[]> => {
    const request = { limit: 20, list: readListingsQuery(query) };
    return JSON.parse((pages.recall(request, 7) ?? (await pages.read(request, 7))).body);
  };
  return { clock, get };
}

test("a page of listings is read again on the next UTC day", async () => {
  const startMs = Date.UTC(2027, 0, 1) - 2;
  const { clock, get } = createPages(startMs);
  const day = Math.floor(startMs / DAY_MS);
  assert.deepEqual(await get(), [1, day]);
  clock.advance(1);
  assert.deepEqual(await get(), [1, day]);
  clock.advance(1);
  assert.deepEqual(await get(), [2, day + 1]);
});

test("pages of other filters and orders are cached apart", async () => {
  const { get } = createPages(Date.UTC(2027, 0, 1));
  const queries = [...LISTING_SORTS.map((sort) => ({ sort })), { species: "dog" }, { species: "cat" }];
  const ofShelters = [{ shelterId: "1" }, { near: "1,2" }, { near: "1,2", within: 51 }, { near: "1,3" }];
  for (let round = 0; round < 2; round++) {
    const reads = await Promise.all([...queries, ...ofShelters].map(async (query) => (await get(query))[0]));
    assert.deepEqual(reads, [1, 2, 3, 4, 5, 6, 7, 8]);
  }
});
