// Lists of animals by shelter and by distance, on every engine, compared with a plain filter.

import assert from "node:assert/strict";
import fc from "fast-check";
import type { ListingFilter } from "../../src/domain/animals/listing.ts";
import { PET_STATUSES, type PetStatus } from "../../src/domain/animals/pet.ts";
import { isNear, type Location } from "../../src/domain/shelters/distance.ts";
import type { Shelter } from "../../src/domain/shelters/shelter.ts";
import type { Database } from "../../src/storage/database.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { testOnEngines } from "./engines.ts";

const ORIGIN = { atMs: 5, actor: { command: "test" } };
const VIEW = { nowMs: 10, publicUrl: "https://animals.example.org" };
/** More than these are found in the order of the list. */
const SHELTERS = 130;
const PETS = 600;
const NAMES = ["Rex", "Luna", "Lunar Rex"];

/** Around the poles, the date line and one city, and anywhere. */
const PLACES: Location[] = [
  { latitude: 90, longitude: 0 },
  { latitude: -90, longitude: 180 },
  { latitude: 89.9, longitude: -179.9 },
  { latitude: 0, longitude: 180 },
  { latitude: 0, longitude: -180 },
  { latitude: 0.1, longitude: 179.9 },
  { latitude: 48, longitude: 11 },
  { latitude: 48.3, longitude: 11.5 },
];
const anyPlace = fc.oneof(
  fc.constantFrom(...PLACES),
  fc.record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  }),
);

interface ListedPet {
  id: bigint;
  name: string;
  status: PetStatus;
  shelterId: bigint;
}

/** Shelter 1 and every tenth one have no location. */
async function fill(db: Database): Promise<{ shelters: Shelter[]; pets: ListedPet[] }> {
  const store = createShelterStore(db);
  const locations = fc.sample(anyPlace, { numRuns: SHELTERS, seed: 7 });
  for (const [index, location] of locations.entries())
    await store.create({ name: `S${index}`, ...(index % 10 > 0 && { location }) }, ORIGIN);
  const shelters = await store.list({}, { limit: SHELTERS + 1 });
  const pets = Array.from({ length: PETS }, (_, index) => ({
    name: NAMES[index % NAMES.length] as string,
    categoryId: 1n,
    status: PET_STATUSES[(index >> 2) % PET_STATUSES.length] as PetStatus,
  }));
  const added: ListedPet[] = [];
  await db.transaction(
    async (tx) => {
      for (const [index, id] of (await addPets(tx, pets, { atMs: 5 })).entries()) {
        // Two shelters have no animals.
        const { id: shelterId } = shelters[(index * 31) % (SHELTERS - 1)] as Shelter;
        added.push({ id, ...(pets[index] as (typeof pets)[number]), shelterId });
        await tx.run("UPDATE pets SET shelter_id = $2 WHERE id = $1", [id, shelterId]);
      }
    },
    { inOrder: true },
  );
  return { shelters, pets: added };
}

testOnEngines("Lists of shelters' animals", async (t, db) => {
  const { shelters, pets } = await fill(db);
  const listings = createListingStore(db);
  const findShelter = (id: bigint) => shelters.find((shelter) => shelter.id === id);

  const isListed = ({ name, status, shelterId }: ListedPet, filter: ListingFilter) =>
    (filter.statuses?.includes(status) ?? true) &&
    (filter.shelterIds?.includes(shelterId) ?? true) &&
    (filter.near === undefined || isNear(findShelter(shelterId)?.location, filter.near)) &&
    (filter.words?.every((word) => name.toLowerCase().includes(word)) ?? true);

  async function listAll(filter: ListingFilter, sort: "newest" | "oldest", limit: number): Promise<bigint[]> {
    const ids: bigint[] = [];
    for (let after: bigint | undefined; ; ) {
      const page = await listings.list(filter, { limit, after }, { sort, ...VIEW });
      const found: Array<{ id: number; shelter: { id: number } }> = JSON.parse(page.json);
      ids.push(...found.map(({ id }) => BigInt(id)));
      for (const { id, shelter } of found)
        assert.equal(BigInt(shelter.id), pets.find((pet) => pet.id === BigInt(id))?.shelterId);
      if (page.nextAfter === undefined) return ids;
      assert.equal(found.length, limit);
      after = page.nextAfter;
    }
  }

  const anyFilter = fc.record(
    {
      statuses: fc.subarray([...PET_STATUSES], { minLength: 1 }),
      near: fc
        .tuple(anyPlace, fc.constantFrom(1, 50, 1_000, 5_000, 20_100))
        .map(([place, withinKm]) => ({ ...place, withinKm })),
      shelterIds: fc.array(fc.bigInt(1n, BigInt(SHELTERS + 3)), { maxLength: 20 }),
      words: fc.constantFrom(["lun"], ["rex"], ["lun", "rex"]),
    },
    { requiredKeys: [] },
  );

  await t.test("lists and counts the same animals as a plain filter", () =>
    fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.constantFrom("newest" as const, "oldest" as const),
        fc.integer({ min: 1, max: 100 }),
        async (filter, sort, limit) => {
          const expected = pets.filter((pet) => isListed(pet, filter)).map(({ id }) => id);
          if (sort === "newest") expected.reverse();
          assert.deepEqual(await listAll(filter, sort, limit), expected);
          assert.equal((await listings.count(filter, VIEW.nowMs)).count, expected.length);
        },
      ),
      { numRuns: 150 },
    ),
  );

  await t.test("lists no animals for an unknown shelter, and none far from every shelter", async () => {
    assert.deepEqual(await listAll({ shelterIds: [9_999n] }, "newest", 10), []);
    assert.deepEqual(await listAll({ shelterIds: [] }, "newest", 10), []);
    const near = { latitude: -55.5, longitude: -33.3, withinKm: 1 };
    assert.deepEqual(await listAll({ near }, "newest", 10), []);
    assert.equal((await listings.count({ near }, VIEW.nowMs)).count, 0);
  });
});
