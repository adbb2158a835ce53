// Shelters in the stores: each change is recorded, none that is in use can be deleted, and 64-bit ids stay exact.

import assert from "node:assert/strict";
import { INT64_MAX } from "../../src/domain/basics/int64.ts";
import { eventDataJson } from "../../src/domain/events/event.ts";
import type { NewShelter, Shelter } from "../../src/domain/shelters/shelter.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createEventStore } from "../../src/storage/stores/events/events.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createAuditStore } from "../../src/storage/stores/keys/audit.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { countRows, testOnEngines } from "./engines.ts";
import { createShelterScene, readTables } from "./shelter-scene.ts";

const NORTH: NewShelter = {
  name: "North",
  about: "Zoë's\n“animals”",
  address: { city: "Köln" },
  location: { latitude: 50.938361, longitude: -180 },
};
const ADMIN = { ...stampAt(2_000), access: "admin" } as const;
const isStale = () => false;

function createScene(db: Database) {
  const versions: number[] = [];
  const shelters = createShelterStore(db, async (version) => void versions.push(version));
  const events = async () => {
    const page = await createEventStore(db).read(
      "oldest",
      { types: ["shelter.created", "shelter.updated", "shelter.deleted"] },
      100,
    );
    return page.events;
  };
  const newestAudit = async () => (await createAuditStore(db).list({ limit: 1 }))[0];
  return { shelters, versions, events, newestAudit };
}

/** No key is left that would keep the shelter. */
async function addPetTo(db: Database, shelterId: bigint): Promise<bigint> {
  const { addKey, addPet } = createShelterScene(db);
  const keyId = await addKey(shelterId);
  const id = await addPet({ keyId });
  await createKeyStore(db).revoke(keyId, stampAt(1));
  return id;
}

testOnEngines("ShelterStore", async (t, db) => {
  const { shelters, versions, events, newestAudit } = createScene(db);

  await shelters.create(NORTH, stampAt(1_000));

  await t.test("a changed shelter keeps the others, and a change without effect is none", async () => {
    const changes = { name: "South", about: null, address: { street: "s", city: "Bonn" } };
    const south = (await shelters.update(2n, changes, ADMIN)) as Shelter;
    const { name: _, about: __, ...kept } = NORTH;
    const expected = { id: 2n, name: "South", ...kept, address: { street: "s", city: "Bonn" } };
    assert.deepEqual(south, { ...expected, createdAtMs: 1_000, updatedAtMs: 2_000 });
    assert.deepEqual(await shelters.find(2n), south);
    const { previous } = JSON.parse(eventDataJson((await events()).at(-1) as never, ""));
    assert.deepEqual(previous, { name: "North", about: NORTH.about, address: { city: "Köln" } });
    assert.deepEqual((await newestAudit())?.to, { name: "South", about: null, address: changes.address });
    const before = await readTables(db);
    assert.deepEqual(
      await shelters.update(2n, { ...changes, address: { city: "Bonn", street: "s" } }, ADMIN),
      south,
    );
    assert.equal(await shelters.update(99n, changes, ADMIN), undefined);
    assert.equal(await shelters.delete(99n, ADMIN), false);
    await assert.rejects(shelters.update(2n, { name: "x" }, ADMIN, isStale), { code: "precondition_failed" });
    await assert.rejects(shelters.delete(2n, ADMIN, isStale), { code: "precondition_failed" });
    assert.deepEqual(await readTables(db), before);
    assert.deepEqual(versions, [1, 2]);
    assert.deepEqual(await createPetStore(db).history(0n, { limit: 9 }), [], "the changes are of no animal");
  });

  await t.test("a change that cannot be recorded is not made", async () => {
    const before = await readTables(db);
    const unrecorded = createShelterStore(withoutAudit(db));
    for (const change of [
      () => unrecorded.create(NORTH, ADMIN),
      () => unrecorded.update(2n, { name: "x" }, ADMIN),
      () => unrecorded.delete(2n, ADMIN),
    ])
      await assert.rejects(change(), /no audit record/);
    assert.deepEqual(await readTables(db), before);
  });
});

testOnEngines("The deletion of a shelter", async (t, db) => {
  const { shelters, events, newestAudit } = createScene(db);
  const { id: shelterId } = await shelters.create(NORTH, ADMIN);
  const keyId = await createShelterScene(db).addKey(shelterId);

  await t.test("a shelter in use stays; a revoked key does not keep it", async () => {
    await assert.rejects(shelters.delete(1n, ADMIN), { code: "shelter_in_use" });
    await assert.rejects(shelters.delete(shelterId, ADMIN), { code: "shelter_in_use" }, "a key");
    const keys = createKeyStore(db);
    await keys.revoke(keyId, stampAt(4_000));
    const [petId, third] = [await addPetTo(db, shelterId), await shelters.create({ name: "Third" }, ADMIN)];
    await assert.rejects(shelters.delete(shelterId, ADMIN), { code: "shelter_in_use" }, "an animal");
    assert.equal(await createPetStore(db).delete(petId, { atMs: 5_000 }), true);
    assert.equal(await shelters.delete(shelterId, ADMIN), true);
    assert.equal(await shelters.find(shelterId), undefined);
    assert.equal(
      (await keys.find(keyId))?.shelterId,
      shelterId,
      "without it, the key would be of the whole network",
    );
    const last = (await events()).at(-1);
    assert.deepEqual([last?.type, last?.shelterId, last?.to], ["shelter.deleted", shelterId, undefined]);
    assert.equal((await newestAudit())?.action, "shelter.deleted");
    assert.equal(
      third.id + 1n,
      (await shelters.create({ name: "Fourth" }, ADMIN)).id,
      "no id is assigned again",
    );
  });

  await t.test("the database itself refuses to delete a shelter that has animals or keys", async () => {
    const { id: fifth } = await shelters.create({ name: "Fifth" }, ADMIN);
    const petId = await addPetTo(db, fifth);
    const remove = () => db.transaction((tx) => tx.run("DELETE FROM shelters WHERE id = $1", [fifth]));
    await assert.rejects(remove(), /The shelter has animals, people or keys\./);
    await createPetStore(db).delete(petId, { atMs: 1 });
    const key = await createShelterScene(db).addKey(fifth);
    await assert.rejects(remove(), /The shelter has animals, people or keys\./);
    await createKeyStore(db).revoke(key, stampAt(1));
    await remove();
    assert.equal(await shelters.find(fifth), undefined);
  });
});

testOnEngines("Shelters with the highest ids", async (t, db) => {
  const { shelters, events, newestAudit } = createScene(db);

  await t.test("pages by id, also of shelters in a circle, and with the highest ids", async () => {
    await db.transaction(async (tx) => {
      for (let i = 0n; i < 30n; i++)
        await tx.run(
          "INSERT INTO shelters (id, name, details, summary, latitude, longitude, created_at_ms, updated_at_ms) VALUES ($1, 'x', '{}', '{}', $2, $3, 1, 1)",
          [INT64_MAX - i, i % 3n === 0n ? 10 : 40, i % 2n === 0n ? 179.9 : -179.9],
        );
    });
    const near = { latitude: 10, longitude: 180, withinKm: 50 };
    const all = Array.from({ length: 30 }, (_, i) => INT64_MAX - 29n + BigInt(i));
    const inside = all.filter((id) => (INT64_MAX - id) % 3n === 0n);
    for (const [filter, expected] of [
      [{ near }, inside],
      [{}, all],
    ] as const) {
      const found: bigint[] = [];
      for (let after = 1_000n; ; after = found.at(-1) as bigint) {
        const page = await shelters.list(filter, { limit: 4, after });
        found.push(...page.map(({ id }) => id));
        if (page.length < 4) break;
      }
      assert.deepEqual(found, expected);
    }
    assert.deepEqual(await shelters.list({ near: { ...near, longitude: 0 } }, { limit: 5 }), []);
  });

  await t.test("a shelter with the highest id has animals, keys and events", async () => {
    const { addKey } = createShelterScene(db);
    const keyId = await addKey(INT64_MAX);
    assert.equal((await createKeyStore(db).find(keyId))?.shelterId, INT64_MAX);
    assert.equal((await newestAudit())?.to?.shelterId, INT64_MAX);
    await createPetStore(db).create({ name: "Rex", categoryId: 1n, status: "sold" }, { keyId, atMs: 1 });
    assert.equal(await countRows(db, `pets WHERE shelter_id = ${INT64_MAX}`), 1);
    await shelters.update(INT64_MAX, { name: "Last" }, ADMIN);
    assert.match(
      eventDataJson((await events()).at(-1) as never, ""),
      /"id":9223372036854775807,"name":"Last"/,
    );
  });
});
