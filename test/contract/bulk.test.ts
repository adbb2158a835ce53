// The stores used by import and export, on every engine: many animals at once, and snapshots.

import assert from "node:assert/strict";
import type { PetStatus } from "../../src/domain/animals/pet.ts";
import type { Profile } from "../../src/domain/animals/profile.ts";
import { FIRST_SHELTER } from "../../src/domain/shelters/shelter.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { addBatch, findImport, type ImportBatch } from "../../src/storage/stores/animals/imports.ts";
import { createListingStore, listListings } from "../../src/storage/stores/animals/listings.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { testOnEngines } from "./engines.ts";

const STATUSES: PetStatus[] = ["available", "pending", "sold"];

function makePets(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    name: `Pet "${i}" \\ é 🐕`,
    categoryId:
      i % 2 === 0 ? 9_223_372_036_854_775_807n - BigInt(i) : -9_223_372_036_854_775_808n + BigInt(i),
    status: STATUSES[i % 3] as PetStatus,
  }));
}

function makeRows(count: number) {
  return makePets(count).map((pet, i) => ({ line: i + 2, pet }));
}

testOnEngines("many animals at once", async (t, db) => {
  const store = createPetStore(db);
  await store.create({ name: "Before", categoryId: 1n, status: "sold" }, { atMs: 1, keyId: 7n });
  const pets = makePets(250);

  await t.test("many animals get ascending ids in their order and keep every value", async () => {
    const ids = await db.transaction((tx) => addPets(tx, pets, { atMs: 5 }), { inOrder: true });
    assert.deepEqual(
      ids,
      pets.map((_, i) => BigInt(i + 2)),
    );
    const stored = await listListings(db, {}, { limit: 1_000, after: 1n });
    assert.deepEqual(
      stored.map(({ id, name, categoryId, status }) => ({ id, name, categoryId, status })),
      pets.map((pet, i) => ({ id: BigInt(i + 2), ...pet })),
    );
  });

  await t.test("many animals are counted, and have a history without gaps", async () => {
    assert.deepEqual(await store.inventory(), { available: 84, pending: 83, sold: 84 });
    const [change] = await store.history(3n, { limit: 10 });
    assert.deepEqual(change, {
      number: 3n,
      type: "pet.created",
      petId: 3n,
      orderId: undefined,
      categoryId: undefined,
      shelterId: undefined,
      from: undefined,
      to: pets[1],
      atMs: 5,
      keyId: undefined,
      person: undefined,
    });
    const numbers = await db.first(
      "SELECT min(number) AS low, max(number) AS high, count(*) AS n FROM history",
    );
    assert.deepEqual({ ...numbers }, { low: 1n, high: 251n, n: 251n });
  });
});

testOnEngines("many animals with profiles at once", async (t, db) => {
  const listings = createListingStore(db);
  await createCategoryStore(db).put({ id: 3n, name: "Dogs" }, { atMs: 1 });
  const profile: Profile = {
    species: "dog",
    breeds: ["a;b"],
    sex: "male",
    bornOn: "2020-02-29",
    size: "small",
    goodWith: { children: "yes", cats: "yes" },
    description: 'é\n"x" \\ \u2028 🐕',
    externalId: "A-1",
  };
  const rex = { name: "Rex", categoryId: 3n, status: "available" } as const;
  const pets: Array<typeof rex & { profile?: Profile }> = [
    { ...rex, profile },
    rex,
    { ...rex, profile: {} },
    { ...rex, profile: { sex: "female" } as const },
  ];
  const ids = await db.transaction((tx) => addPets(tx, pets, { atMs: 5 }), { inOrder: true });

  await t.test("the listings are the same as if each profile was written by itself", async () => {
    const store = createPetStore(db);
    for (const [index, { profile = {}, ...pet }] of pets.entries()) {
      const { id } = await store.create(pet, { atMs: 5 });
      const { externalId: _, ...others } = profile;
      await listings.updateProfile(id, { ...others, externalId: `B-${index}` }, { atMs: 5 });
      await listings.updateProfile(id, { externalId: null }, { atMs: 5 });
      const columns = "name, species, sex, size, born_on, good_with, created_at_ms, updated_at_ms";
      const read = (each: bigint) => db.first(`SELECT ${columns} FROM pets WHERE id = $1`, [each]);
      const added = ids[index] as bigint;
      assert.deepEqual(await read(added), await read(id));
      assert.deepEqual((await listings.find(added))?.profile, profile);
      const stored = await db.first("SELECT profile FROM pets WHERE id = $1", [added]);
      assert.equal(stored?.profile, Object.keys(profile).length === 0 ? null : JSON.stringify(profile));
    }
    const [first] = ids;
    const found = await db.first("SELECT id FROM pets WHERE external_id = 'A-1'");
    assert.equal(found?.id, first);
  });

  await t.test("each animal with a profile has a second change, with the complete listing", async () => {
    const kinds = await db.all(
      "SELECT what, pet_id FROM history WHERE at_ms = 5 AND pet_id <= $1 ORDER BY number",
      [ids.at(-1) as bigint],
    );
    assert.deepEqual(
      kinds.map(({ what, pet_id }) => `${what} ${pet_id}`),
      [
        "pet.created 1",
        "listing.updated 1",
        "pet.created 2",
        "pet.created 3",
        "pet.created 4",
        "listing.updated 4",
      ],
    );
    const [, change] = await createPetStore(db).history(1n, { limit: 10 });
    assert.deepEqual(change?.from, { ...rex, profile: {} });
    const { ageGroup: _, ...to } = change?.to ?? {};
    assert.deepEqual(to, {
      ...rex,
      categoryName: "Dogs",
      profile,
      photos: [],
      shelter: FIRST_SHELTER,
      createdAtMs: 5,
    });
  });
});

testOnEngines("batches of an import", async (t, db) => {
  const count = async () => (await listListings(db, {}, { limit: 1_000 })).length;
  const add = (batch: ImportBatch) =>
    db.transaction((tx) => addBatch(tx, { ...batch, origin: { atMs: batch.startedAtMs + 1 } }), {
      inOrder: true,
    });
  const first: ImportBatch = {
    name: "animals.csv",
    checksum: Buffer.alloc(32, 1),
    reading: "csv",
    startedAtMs: 10,
    rows: makeRows(20),
    from: 0,
    to: 22,
    isLast: false,
    imported: Buffer.from([1]),
    origin: { atMs: 0 },
  };
  const second = { ...first, rows: makeRows(5), from: 22, to: 27, isLast: true };

  await t.test("a batch is stored with the progress of the import", async () => {
    assert.equal(await findImport(db, first.checksum), undefined);
    await add(first);
    const state = await findImport(db, first.checksum);
    const { rowsDone, pets, firstId, lastId, finishedAtMs } = state ?? {};
    assert.deepEqual(
      { rowsDone, pets, firstId, lastId },
      { rowsDone: 22, pets: 20, firstId: 1n, lastId: 20n },
    );
    assert.equal(finishedAtMs, undefined);
    assert.deepEqual(state?.imported, Buffer.from([1]));
  });

  await t.test("a repeated batch changes nothing", async () => {
    await add(first);
    assert.equal(await count(), 20);
  });

  await t.test("a batch is refused if another import of the same file has continued", async () => {
    await assert.rejects(add({ ...first, startedAtMs: 11 }), /The same file is being imported\. Wait/);
    await assert.rejects(add({ ...second, from: 25, to: 30 }), /The same file is being imported\. Wait/);
    const follows = { startedAtMs: 10, rowsDone: 20 };
    await assert.rejects(
      add({ ...first, startedAtMs: 11, follows }),
      /The same file is being imported\. Wait/,
    );
    assert.equal(await count(), 20);
  });

  await t.test("the last batch ends the import, and may be repeated too", async () => {
    await add(second);
    await add(second);
    assert.equal(await count(), 25);
    assert.equal((await findImport(db, first.checksum))?.finishedAtMs, 11);
  });

  await t.test("a batch is refused if another run has finished the file", async () => {
    const whole = { ...first, isLast: true };
    await assert.rejects(add({ ...whole, startedAtMs: 12 }), /The same file was imported at the same time\./);
    await assert.rejects(
      add({ ...whole, startedAtMs: 12, follows: { startedAtMs: 9, rowsDone: 27 } }),
      /The same file was imported at the same time\./,
    );
    assert.equal(await count(), 25);
  });

  await t.test("a finished import starts again when that is asked for", async () => {
    await add({ ...first, startedAtMs: 12, follows: { startedAtMs: 10, rowsDone: 27 } });
    const { rowsDone, pets, firstId, finishedAtMs } = (await findImport(db, first.checksum)) ?? {};
    assert.deepEqual({ rowsDone, pets, firstId }, { rowsDone: 22, pets: 20, firstId: 26n });
    assert.equal(finishedAtMs, undefined);
  });
});

testOnEngines("a snapshot sees one moment while writes go on", async (_t, db) => {
  const store = createPetStore(db);
  const pet = { name: "Rex", categoryId: 1n, status: "sold" as const };
  await store.create(pet, { atMs: 1 });
  const count = "SELECT count(*) AS n FROM pets";
  const seen = await db.snapshot(async (queries) => {
    const before = await queries.first(count);
    await store.create(pet, { atMs: 2 });
    const after = await queries.all(count);
    return [before?.n, after[0]?.n];
  });
  assert.deepEqual(seen, [1n, 1n]);
  assert.equal((await db.first(count))?.n, 2n);
  await assert.rejects(
    db.snapshot(async () => {
      throw new Error("no");
    }),
    /no/,
  );
  await store.create(pet, { atMs: 3 });
});
