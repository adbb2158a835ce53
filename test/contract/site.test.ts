// The public site in the stores: no change without its record, and what it lists.

import assert from "node:assert/strict";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createAuditStore } from "../../src/storage/stores/keys/audit.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { createSiteStore } from "../../src/storage/stores/site/site.ts";
import { stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { testOnEngines } from "./engines.ts";

testOnEngines("SiteStore", async (t, db) => {
  const store = createSiteStore(db);

  await t.test(
    "a change that changes nothing is not recorded, and none is stored without its record",
    async () => {
      const before = await store.update({ language: "de" }, stampAt(6));
      assert.deepEqual(await store.update({ language: "de" }, stampAt(7)), before);
      assert.equal((await createAuditStore(db).list({ limit: 10 })).length, 1);
      await assert.rejects(createSiteStore(withoutAudit(db)).update({ language: "en" }, stampAt(8)));
      assert.deepEqual((await store.readState()).site, before);
    },
  );

  await t.test(
    "lists available and pending animals in order of id, and the shelters that have some",
    async () => {
      const pets = createPetStore(db);
      const { id: north } = await createShelterStore(db).create({ name: "North" }, stampAt(1));
      const { version } = await store.readState();
      assert.deepEqual(await store.listShelters(), []);
      for (const status of ["pending", "available", "sold", "pending", "available"] as const)
        await pets.create({ name: "Rex", categoryId: 1n, status }, { atMs: 9 });
      assert.notEqual((await store.readState()).version, version);
      const listIds = async (page: Parameters<typeof store.listAnimals>[0]) =>
        (await store.listAnimals(page)).map(({ id }) => id);
      assert.deepEqual(await listIds({ limit: 3 }), [1n, 2n, 4n]);
      assert.deepEqual(await store.listAnimals({ limit: 3, after: 4n }), [{ id: 5n, updatedAtMs: 9 }]);
      assert.deepEqual(await store.listShelters(), [{ id: 1n, name: "Our shelter" }]);
      assert.notEqual(north, 1n);
    },
  );

  await t.test("lists the species of available and pending animals, in their own order", async () => {
    const listings = createListingStore(db);
    assert.deepEqual(await store.listSpecies(), []);
    for (const [species, status] of [
      ["other", "available"],
      ["cat", "pending"],
      ["dog", "sold"],
      ["cat", "available"],
    ] as const) {
      const { id } = await createPetStore(db).create({ name: "Rex", categoryId: 1n, status }, { atMs: 10 });
      await listings.updateProfile(id, { species }, stampAt(10));
    }
    assert.deepEqual(await store.listSpecies(), ["cat", "other"]);
  });
});
