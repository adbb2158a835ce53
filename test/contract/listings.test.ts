// The contract of the listing store, on every engine.

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Listing, type ListingFilter, listingJson } from "../../src/domain/animals/listing.ts";
import { AGE_GROUPS, type ProfileChanges } from "../../src/domain/animals/profile.ts";
import { INT64_MIN } from "../../src/domain/basics/int64.ts";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { addMissingTexts } from "../../src/storage/search/pet-texts.ts";
import { createSearch } from "../../src/storage/search/search.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createListingCount } from "../../src/storage/stores/animals/listing-count.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { codePoint } from "../harness/clients/code-points.ts";
import { column } from "../harness/clients/pages.ts";
import { testOnEmptyEngines, testOnEngines } from "./engines.ts";

const NOW_MS = Date.UTC(2027, 0, 1, 12);
const ORIGIN = { keyId: 1n, atMs: NOW_MS };
/** Objects as JSON.parse creates them. */
const PARTIAL = { requiredKeys: [], noNullPrototype: true as const };
const VIEW = { nowMs: NOW_MS, publicUrl: "https://animals.example.org" };
const NEWEST = { sort: "newest", ...VIEW } as const;

function makeScene(db: Database) {
  const listings = createListingStore(db);
  const find = async (id: bigint): Promise<Listing> => (await listings.find(id)) ?? assert.fail("not found");
  return { pets: createPetStore(db), listings, find };
}

testOnEngines("Lists of listings", async (t, db) => {
  const { pets, listings, find } = makeScene(db);

  await t.test("writes every character and time as JSON like listingJson", async () => {
    // U+2028 is escaped by some writers of JSON; PostgreSQL cannot store U+0000.
    const codes = Array.from({ length: 0x3000 }, (_, code) => code + 1);
    const text = String.fromCodePoint(...codes, 0x1f415, 0xfffd, 0xffff, 0x10ffff);
    await createCategoryStore(db).put({ id: INT64_MIN, name: text }, ORIGIN);
    const shelters = createShelterStore(db);
    const operator = { actor: { command: "test" }, access: "admin", atMs: NOW_MS } as const;
    await shelters.update(1n, { name: text, address: { city: `${text}!` } }, operator);
    const times = [0, 1, 999, 86_400_000, NOW_MS + 1, NOW_MS + 10, NOW_MS + 999, 253_402_300_799_999];
    for (const atMs of times) {
      const pet = { name: text, categoryId: INT64_MIN, status: "available" } as const;
      const { id } = await pets.create(pet, { atMs });
      await listings.updateProfile(id, { description: text, tags: [text], bornOn: "2020-02-29" }, ORIGIN);
      const { json } = await listings.list({ ids: [id] }, { limit: 1 }, NEWEST);
      assert.equal(json, `[${listingJson(await find(id), VIEW)}]`);
      assert.deepEqual(JSON.parse(json)[0].shelter, { id: 1, name: text, city: `${text}!` });
    }
    await shelters.update(1n, { name: "Home", address: null }, operator);
  });

  await t.test("gives every animal its age group, also around the bounds", async () => {
    const days = [
      "2026-06-30",
      "2026-07-01",
      "2026-07-02",
      "2025-01-01",
      "2025-01-02",
      "2018-01-01",
      "2018-01-02",
    ];
    const ids: bigint[] = [];
    const groups: string[] = [];
    for (const bornOn of days) {
      const { id } = await pets.create({ name: bornOn, categoryId: 1n, status: "sold" }, ORIGIN);
      await listings.updateProfile(id, { bornOn }, ORIGIN);
      const listed = await listings.list({ ids: [id] }, { limit: 1 }, NEWEST);
      assert.equal(listed.json, `[${listingJson(await find(id), VIEW)}]`);
      ids.push(id);
      groups.push(JSON.parse(listed.json)[0].ageGroup);
    }
    assert.deepEqual(groups, ["young", "young", "baby", "adult", "young", "senior", "adult"]);
    for (const ageGroup of AGE_GROUPS) {
      const { json } = await listings.list({ ids, ageGroup }, { limit: 10 }, { ...NEWEST, sort: "oldest" });
      const expected = days.filter((_, index) => groups[index] === ageGroup);
      assert.deepEqual(column(JSON.parse(json), "name"), expected, ageGroup);
      assert.equal((await listings.count({ ids, ageGroup }, NOW_MS)).count, expected.length);
    }
  });

  await t.test("ends a page before a text that looks like the JSON of a listing", async () => {
    const tags = ["\n", '\n{"id":7', '{"id":8,"name":"b"}'];
    const ids: bigint[] = [];
    for (const tag of tags) {
      const { id } = await pets.create({ name: tag, categoryId: 1n, status: "pending" }, ORIGIN);
      await listings.updateProfile(id, { description: tag }, ORIGIN);
      ids.push(id);
    }
    const [one = 0n, two = 0n, three = 0n] = ids;
    const pending = { statuses: ["pending"] } as const;
    const first = await listings.list(pending, { limit: 2 }, NEWEST);
    assert.equal(first.nextAfter, two);
    assert.equal(
      first.json,
      `[${listingJson(await find(three), VIEW)},${listingJson(await find(two), VIEW)}]`,
    );
    const last = await listings.list(pending, { limit: 2, after: two }, NEWEST);
    assert.deepEqual(last, { json: `[${listingJson(await find(one), VIEW)}]`, nextAfter: undefined });
  });

  await t.test("answers many callers at the same time, each with its own page", async () => {
    const list = async (limit: number, after?: bigint) =>
      JSON.parse((await listings.list({}, { limit, after }, { ...NEWEST, sort: "oldest" })).json);
    const all: Array<{ id: number }> = await list(100);
    const pages = await Promise.all(all.map(({ id }) => list(1, BigInt(id - 1))));
    assert.deepEqual(pages.flat(), all);
    const found = await Promise.all(all.map(({ id }) => listings.find(BigInt(id))));
    assert.deepEqual(column(found, "id").map(Number), column(all, "id"));
  });
});

testOnEngines("Stored profiles", async (t, db) => {
  const { pets, listings, find } = makeScene(db);

  await t.test("returns every profile as it was stored", async () => {
    const { id } = await pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, ORIGIN);
    // The schemas allow no other control character than a line feed.
    const isAllowed = (text: string) => !/[^\n\P{Cc}]/u.test(text);
    const text = fc.string({ unit: codePoint, maxLength: 20 }).filter(isAllowed);
    const answer = fc.constantFrom("yes", "no", "unknown", null);
    const changes = fc.record(
      {
        species: fc.constantFrom("dog", "cat", null),
        breeds: fc.option(fc.array(text, { maxLength: 2 })),
        mixed: fc.option(fc.boolean()),
        goodWith: fc.option(fc.record({ children: answer, cats: answer }, PARTIAL)),
        description: fc.option(text),
        fee: fc.option(
          fc.record({ amount: fc.nat(), currency: fc.constant("EUR") }, { noNullPrototype: true }),
        ),
      },
      PARTIAL,
    );
    await fc.assert(
      fc.asyncProperty(changes, async (given) => {
        const changed = await listings.updateProfile(id, given as ProfileChanges, ORIGIN);
        assert.deepEqual(await find(id), changed);
      }),
      { numRuns: 30 },
    );
  });

  await t.test("an index refuses an external id that two animals have", async () => {
    for (let i = 0; i < 2; i++) await pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, ORIGIN);
    const update = db.transaction((tx) => tx.run("UPDATE pets SET external_id = 'one'"));
    await assert.rejects(update, /unique/i);
  });
});

testOnEngines("Counting listings", async (t, db) => {
  const listings = createListingStore(db);
  const search = createSearch(db, { searchMs: Number.POSITIVE_INFINITY });
  const count = (filter: ListingFilter, max?: number) => createListingCount(db, search, max)(filter, NOW_MS);
  await addMany(db);

  await t.test("counts every status, one, and several", async () => {
    assert.deepEqual(await listings.count({}, NOW_MS), ALL);
    assert.deepEqual(await count({ statuses: ["sold"] }), { count: MANY / 2, isExact: true });
    assert.deepEqual(await count({ statuses: ["sold", "available"] }), ALL);
    assert.deepEqual(await count({ statuses: ["pending"] }), { count: 0, isExact: true });
  });

  await t.test("counts what has changed, both few animals and many", async () => {
    // An animal with a higher number changed later.
    assert.deepEqual(await count({ updatedSinceMs: MANY - 9 }), { count: 10, isExact: true });
    assert.deepEqual(await count({ updatedSinceMs: 1 }), ALL);
  });

  const filters: Record<string, ListingFilter> = {
    "all animals": {},
    "a filter": { statuses: ["available", "sold"], species: "dog" },
    "a search": { words: ["common"] },
    "a search with a filter": { words: ["common"], species: "dog", statuses: ["available", "sold"] },
  };
  for (const [what, filter] of Object.entries(filters))
    await t.test(`stops at the maximum for ${what}`, async () => {
      assert.deepEqual(await count(filter, MANY - 1), { count: MANY - 1, isExact: false });
      assert.deepEqual(await count(filter, MANY), ALL);
    });

  await t.test("ends a search that takes too long with what it has found", async () => {
    const filter = { words: ["common"] };
    const cut = await createListingCount(db, createSearch(db, { searchMs: 0 }))(filter, NOW_MS);
    assert.equal(cut.isExact, false);
    assert.ok(cut.count > 0 && cut.count < MANY, String(cut.count));
    assert.deepEqual(await count(filter), ALL);
  });
});

/** More than a search examines by its first steps. */
const MANY = 3_000;
const ALL = { count: MANY, isExact: true };

/** Dogs with a common word, of which every other one is sold. */
async function addMany(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
       INSERT INTO pets (name, category_id, status, species, good_with, created_at_ms, updated_at_ms)
       SELECT 'Common', 1, CASE WHEN n % 2 = 0 THEN 'sold' ELSE 'available' END, 'dog', 0, n, n FROM numbers`,
      [MANY],
    );
  });
  await addMissingTexts(db);
}

testOnEmptyEngines("The migration to listings", async (t, db) => {
  await migrate(db, 0, 8);
  const insert = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')";
  const change = (number: number, what: string, petId: number, atMs: number) =>
    db.transaction((tx) =>
      tx.run(
        `INSERT INTO history (number, what, pet_id, at_ms) VALUES (${number}, '${what}', ${petId}, ${atMs})`,
      ),
    );
  for (let pet = 0; pet < 3; pet++) await db.transaction((tx) => tx.run(insert));
  await change(1, "pet.created", 1, 1_000);
  await change(2, "pet.created", 2, 2_000);
  await change(3, "pet.updated", 1, 3_000);
  await change(4, "category.updated", 0, 4_000);
  const orderChange =
    "INSERT INTO history (number, what, pet_id, order_id, at_ms) VALUES (5, 'order.created', 2, 1, 5000)";
  await db.transaction((tx) => tx.run(orderChange));
  const startMs = Date.now();
  await migrate(db, startMs);
  const listings = createListingStore(db);
  const timesOf = async (id: bigint) => {
    const listing = await listings.find(id);
    return [listing?.createdAtMs ?? 0, listing?.updatedAtMs ?? 0];
  };

  await t.test("takes the times of animals from the history", async () => {
    assert.deepEqual(await timesOf(1n), [1_000, 3_000]);
    assert.deepEqual(await timesOf(2n), [2_000, 2_000], "a change of an order is no change of its animal");
  });

  await t.test("gives an animal without a history the time of the migration", async () => {
    for (const time of await timesOf(3n)) {
      // The clock of the database may differ a little.
      assert.ok(Math.abs(time - startMs) < 60_000, String(time - startMs));
    }
  });

  await t.test("lets a node with an older release add animals", async () => {
    await db.transaction((tx) => tx.run(insert));
    assert.equal((await listings.find(4n))?.name, "Rex");
    assert.equal((await db.first("SELECT pets FROM inventory WHERE status = 'sold'"))?.pets, 4n);
  });
});
