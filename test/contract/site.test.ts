// The public site in the stores: its settings with their audit records, and what it lists.

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
  const readSite = async () => (await store.readState()).site;
  const listAudit = () => createAuditStore(db).list({ limit: 10 });

  await t.test("a new store has a closed site", async () => {
    assert.deepEqual(await readSite(), { isPublic: false, language: "en" });
  });

  await t.test("a change is merged, stored and recorded in the audit log", async () => {
    const open = await store.update(
      { isPublic: true, title: " Our animals ", accent: "#2f6f4f" },
      stampAt(5),
    );
    assert.deepEqual(open, { isPublic: true, title: "Our animals", language: "en", accent: "#2f6f4f" });
    const german = await store.update(
      { language: "de", title: null, introduction: "Hallo\nWelt" },
      stampAt(6),
    );
    assert.deepEqual(german, {
      isPublic: true,
      introduction: "Hallo\nWelt",
      language: "de",
      accent: "#2f6f4f",
    });
    assert.deepEqual(await readSite(), german);
    const [{ number, ...record } = assert.fail()] = await listAudit();
    assert.deepEqual(record, {
      action: "site.updated",
      ...stampAt(6),
      target: undefined,
      from: { title: "Our animals", introduction: null, language: "en" },
      to: { title: null, introduction: "Hallo\nWelt", language: "de" },
    });
  });

  await t.test(
    "a change that changes nothing is not recorded, and none is stored without its record",
    async () => {
      const before = await readSite();
      assert.deepEqual(await store.update({ language: "de" }, stampAt(7)), before);
      assert.equal((await listAudit()).length, 2);
      await assert.rejects(createSiteStore(withoutAudit(db)).update({ language: "en" }, stampAt(8)));
      assert.deepEqual(await readSite(), before);
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
