// Keys of a shelter change only what belongs to it, on two nodes; and no race leaves an animal or a key without its shelter.

import assert from "node:assert/strict";
import { readConfig } from "../../src/config/config.ts";
import type { ChangeOrigin } from "../../src/domain/animals/history.ts";
import { systemClock } from "../../src/domain/basics/clock.ts";
import type { Database } from "../../src/storage/database.ts";
import { addCategories } from "../../src/storage/stores/animals/categories.ts";
import { putPets } from "../../src/storage/stores/animals/imported-pets.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { createStores } from "../../src/stores.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { countRows, testOnEngines, testOnTwoNodes } from "./engines.ts";
import { createShelterScene, IMAGE, readTables } from "./shelter-scene.ts";

const ROUNDS = 20;
const ORPHANS = "pets LEFT JOIN shelters ON shelters.id = shelter_id WHERE shelters.id IS NULL";
const LOST_KEYS = "api_keys WHERE shelter_id IS NULL AND name = 'of a shelter'";

/** An animal with a photo and an order, and everything that a key can do with them. */
async function createOperations(db: Database) {
  const { pets, listings, photos, categories, orders, addPet, ...scene } = createShelterScene(db);
  const shelterId = await scene.addShelter();
  const [own, network] = [await scene.addKey(shelterId), await scene.addKey()];
  const origin = (keyId: bigint | undefined): ChangeOrigin => ({ keyId, atMs: 5 });
  const [petId, ordered] = [await addPet(origin(own)), await addPet(origin(own))];
  await photos.storeImage(petId, IMAGE, 1);
  const photo = await photos.add(petId, { hash: IMAGE.hash, alt: "" }, origin(own));
  const order = await orders.create({ petId: ordered }, { keyId: own, atMs: 5 });
  await categories.put({ id: 7n, name: "Cats" }, origin(undefined));
  const inOrder = <T>(work: Parameters<Database["transaction"]>[0]) =>
    db.transaction(work, { inOrder: true }) as Promise<T>;
  const row = { line: 2, pet: { name: "Rex", categoryId: 1n, profile: { externalId: "E-1" } } };
  await inOrder((tx) => putPets(tx, [row], origin(own)));

  /** Each has an effect if it is allowed, for a key that is not stale. */
  const ofAnimal: Record<string, (by: ChangeOrigin) => Promise<unknown>> = {
    "updates an animal": (by) => pets.update(petId, { name: `Max ${by.keyId}` }, by),
    "updates an animal that it has seen": (by) =>
      pets.update(petId, { name: `Tom ${by.keyId}` }, by, () => true),
    "updates a profile": (by) => listings.updateProfile(petId, { description: `${by.keyId}` }, by),
    "changes a text": (by) => photos.setAlt(petId, photo.id, `${by.keyId}`, by),
    "orders photos": (by) => photos.order(petId, [photo.id], by),
    "adds a photo": (by) => photos.add(petId, { hash: IMAGE.hash, alt: "" }, by),
    "begins an upload": (by) => photos.requirePet(petId, by),
  };
  const ofNetwork: Record<string, (by: ChangeOrigin) => Promise<unknown>> = {
    "renames a category": (by) => categories.put({ id: 7n, name: `Dogs ${by.keyId}` }, by),
    "adds a category": (by) =>
      inOrder((tx) => addCategories(tx, [{ id: 100n + (by.keyId ?? 99n), name: "x" }], by)),
    "deletes a category": (by) => categories.delete(7n, by),
    "moves an animal": (by) => listings.updateProfile(petId, { shelterId }, by),
  };
  const ending: Record<string, (by: ChangeOrigin) => Promise<unknown>> = {
    "deletes a photo": (by) => photos.delete(petId, photo.id, by),
    "orders an animal": (by) => orders.create({ petId }, { keyId: 0n, ...by } as never),
    "deletes an animal": async (by) => pets.delete(await addPet(origin(own)), by),
  };
  const moveOrder = (by: ChangeOrigin) => orders.move(order.id, "approved", by, {});
  const importRow = (by: ChangeOrigin, pet: object = {}) =>
    inOrder<{ ids: bigint[]; updated: number }>((tx) =>
      putPets(tx, [{ line: 2, pet: { ...row.pet, ...pet } }], by),
    );
  const found = { ofAnimal, ofNetwork, ending, moveOrder, importRow, shelterId, petId, own, network };
  return { ...found, ...scene, addPet, listings, pets, orders, inOrder, origin };
}

/** Asserts that the work is refused and changes nothing. */
function createRefuses(db: Database) {
  return async (work: () => Promise<unknown>, expected: object): Promise<void> => {
    const before = await readTables(db);
    await assert.rejects(work(), expected);
    assert.deepEqual(await readTables(db), before, "nothing has changed");
  };
}

testOnEngines("A key of a shelter", async (t, db) => {
  const scene = await createOperations(db);
  const { ofAnimal, ofNetwork, ending, own, network, shelterId, petId, origin } = scene;
  const otherShelter = await scene.addShelter();
  const other = await scene.addKey(otherShelter);
  const refuses = createRefuses(db);
  const code = "other_shelter";

  for (const [what, work] of Object.entries({ ...ofAnimal, "deletes a photo": ending["deletes a photo"] }))
    await t.test(`${what} of its own shelter only`, async () => {
      await refuses(async () => work?.(origin(other)), { code });
      if (what in ofAnimal) for (const key of [own, network, 0n, undefined]) await work?.(origin(key));
    });

  await t.test("neither orders nor deletes an animal of another shelter", async () => {
    await refuses(() => scene.orders.create({ petId }, { keyId: other, atMs: 5 }), { code });
    await refuses(() => scene.pets.delete(petId, origin(other)), { code });
    await refuses(() => scene.orders.create({ petId: 999n }, { keyId: other, atMs: 5 }), {
      code: "pet_not_found",
    });
    assert.equal(await scene.pets.delete(999n, origin(other)), false);
    assert.equal(await scene.pets.update(999n, {}, origin(other)), undefined);
  });

  await t.test("is refused before a failed precondition, and before other reasons", async () => {
    const stale = () => false;
    await refuses(() => scene.pets.update(petId, { name: "x" }, origin(other), stale), { code });
    await refuses(() => scene.pets.delete(petId, origin(other), stale), { code });
    await refuses(() => scene.listings.updateProfile(petId, {}, origin(other), stale), { code });
    await refuses(() => scene.listings.updateProfile(petId, { shelterId }, origin(own), stale), { code });
    const unknown = () => scene.listings.updateProfile(petId, { shelterId: 999n }, origin(network), stale);
    await refuses(unknown, { code: "precondition_failed" });
  });

  for (const [what, work] of Object.entries(ofNetwork))
    await t.test(`never ${what}, which is for keys of the whole network`, async () => {
      for (const key of [own, other]) await refuses(() => work(origin(key)), { code });
      for (const key of [network, 0n, undefined]) await work(origin(key));
    });

  await t.test("does not find orders for animals of other shelters, nor of deleted ones", async () => {
    const before = await readTables(db);
    assert.equal(await scene.moveOrder(origin(other)), undefined);
    assert.deepEqual(await readTables(db), before);
    assert.equal((await scene.moveOrder(origin(own)))?.status, "approved");
    const deleted = await scene.addPet(origin(own));
    const { id } = await scene.orders.create({ petId: deleted }, { keyId: own, atMs: 5 });
    await scene.orders.move(id, "cancelled", origin(own), {});
    await scene.pets.delete(deleted, origin(own));
    assert.equal(await scene.orders.move(id, "approved", origin(own), {}), undefined);
    await assert.rejects(scene.orders.move(id, "approved", origin(network), {}), {
      code: "invalid_transition",
    });
  });

  await t.test("deletes its own photos, and orders and deletes its own animals", async () => {
    for (const work of Object.values(ending)) await work(origin(own));
  });
});

testOnEngines("Imports and moves with a key of a shelter", async (t, db) => {
  const scene = await createOperations(db);
  const { own, network, shelterId, origin } = scene;
  const otherShelter = await scene.addShelter();
  const other = await scene.addKey(otherShelter);
  const refuses = createRefuses(db);

  await t.test("imports only animals of its shelter", async () => {
    const bad = { code: "file_has_bad_rows" };
    await refuses(() => scene.importRow(origin(other)), bad);
    await refuses(() => scene.importRow(origin(own), { shelterId: otherShelter }), bad);
    await refuses(() => scene.importRow(origin(own), { profile: {}, shelterId: otherShelter }), bad);
    await refuses(() => scene.importRow(origin(network), { shelterId: 999n }), bad);
    await refuses(() => scene.importRow(origin(network), { profile: {}, shelterId: 0n }), bad);
    const { ids } = await scene.importRow(origin(own), { profile: {} });
    assert.equal((await scene.listings.find(ids[0] as bigint))?.shelter.id, shelterId);
    const { ids: first } = await scene.importRow(origin(network), { profile: {} });
    assert.equal((await scene.listings.find(first[0] as bigint))?.shelter.id, 1n);
    const { ids: placed } = await scene.importRow(origin(undefined), {
      profile: {},
      shelterId: otherShelter,
    });
    assert.equal((await scene.listings.find(placed[0] as bigint))?.shelter.id, otherShelter);
  });

  await t.test("a known animal moves by an import with a key of the whole network", async () => {
    const [known] = await db.all("SELECT id FROM pets WHERE external_id = 'E-1'");
    const id = known?.id as bigint;
    assert.equal((await scene.importRow(origin(network), { shelterId: otherShelter })).updated, 1);
    assert.equal((await scene.importRow(origin(network), { shelterId: otherShelter })).updated, 0);
    assert.equal((await scene.importRow(origin(network))).updated, 0, "it stays without a shelterId");
    assert.equal((await scene.listings.find(id))?.shelter.id, otherShelter);
    const change = (await scene.pets.history(id, { limit: 9 })).at(-1);
    assert.deepEqual([change?.type, change?.from?.shelter?.id], ["listing.updated", shelterId]);
    assert.equal(change?.to?.shelter?.id, otherShelter);
  });
});

testOnEngines("A request of a revoked key whose shelter was deleted changes nothing", async (t, db) => {
  const scene = await createOperations(db);
  const gone = await scene.addShelter();
  const keyId = await scene.addKey(gone);
  await scene.keys.revoke(keyId, stampAt(3));
  await scene.shelters.delete(gone, stampAt(4));
  const by = scene.origin(keyId);
  const update = { actor: { keyId }, atMs: 5, access: "manage" } as const;
  const operations: Record<string, (by: ChangeOrigin) => Promise<unknown>> = {
    ...scene.ofAnimal,
    ...scene.ofNetwork,
    ...scene.ending,
    "deletes an animal": () => scene.pets.delete(scene.petId, by),
    "creates an animal": () => scene.addPet(by),
    "creates an animal with an Idempotency-Key": () => {
      const { idempotency } = createStores(db, readConfig({}), systemClock, undefined);
      const request = { name: Buffer.alloc(32), fingerprint: Buffer.alloc(32), nowMs: 5 };
      const rex = { name: "Rex", categoryId: 1n, status: "available" } as const;
      return idempotency.perform(request, async ({ pets }) => {
        const { id } = await pets.create(rex, by);
        return { status: 201, body: Buffer.from(String(id)) };
      });
    },
    "imports a new animal": () => scene.importRow(by, { profile: {} }),
    "imports a known animal": () => scene.importRow(by),
    "updates a shelter": () => scene.shelters.update(scene.shelterId, { phone: "1" }, update),
  };
  for (const [what, work] of Object.entries(operations))
    await t.test(what, async () => {
      const before = await readTables(db);
      await assert.rejects(work(by), { code: "other_shelter" });
      assert.deepEqual(await readTables(db), before);
    });

  await t.test("moves an order", async () => {
    const before = await readTables(db);
    assert.equal(await scene.moveOrder(by), undefined);
    assert.deepEqual(await readTables(db), before);
  });

  await t.test("its create fails alone among creates that are committed together", async () => {
    const keys = [scene.own, keyId, scene.network, keyId];
    const results = await Promise.allSettled(keys.map((key) => scene.addPet(scene.origin(key))));
    const succeeded = results.map(({ status }) => status === "fulfilled");
    assert.deepEqual(succeeded, [true, false, true, false]);
    assert.equal(await countRows(db, ORPHANS), 0);
  });
});

testOnTwoNodes("A key that is moved on another node", async (_, [a, b]) => {
  const scene = await createOperations(a);
  const second = await scene.addShelter();
  const rename = (name: string) => scene.pets.update(scene.petId, { name }, scene.origin(scene.own));
  await rename("before");
  await createShelterScene(b).moveKey(scene.own, second);
  await assert.rejects(rename("after"), { code: "other_shelter" });
  assert.equal((await scene.listings.find(await scene.addPet(scene.origin(scene.own))))?.shelter.id, second);
  await createShelterScene(b).moveKey(scene.own, undefined);
  await rename("network");
  const last = await createShelterScene(b).moveKey(scene.own, second);
  assert.ok((last?.version ?? 0) >= 3, "caches drop the key");
  // Whatever runs at the same time as the move, no request after it succeeds.
  await createShelterScene(b).moveKey(scene.own, scene.shelterId);
  const requests = Array.from({ length: ROUNDS }, (_, i) => rename(`${i}`));
  const [results] = await Promise.all([
    Promise.allSettled(requests),
    createShelterScene(b).moveKey(scene.own, second),
  ]);
  for (const result of results)
    if (result.status === "rejected") assert.equal(result.reason.code, "other_shelter");
  await assert.rejects(rename("after"), { code: "other_shelter" });
});

testOnTwoNodes("A shelter that is deleted at the same time", async (t, [a, b]) => {
  const [one, two] = [createShelterScene(a), createShelterScene(b)];
  const petId = await one.addPet();

  /** Exactly one succeeds; the other gets one of these codes. */
  const race = async (codes: string[], work: (shelterId: bigint) => Promise<unknown>) => {
    for (let round = 0; round < ROUNDS; round++) {
      const shelterId = await one.addShelter();
      const remove = () => two.shelters.delete(shelterId, stampAt(3));
      // Started in either order.
      const both = round % 2 === 0 ? [work(shelterId), remove()] : [remove(), work(shelterId)].reverse();
      const [result, deletion] = await Promise.allSettled(both);
      assert.notEqual(result?.status, deletion?.status, "one succeeds");
      const lost = result?.status === "rejected" ? result : deletion;
      assert.ok(
        codes.includes((lost as PromiseRejectedResult).reason.code),
        String((lost as PromiseRejectedResult).reason),
      );
      if (result?.status === "fulfilled") assert.ok(await one.shelters.find(shelterId));
      assert.equal(await countRows(a, ORPHANS), 0);
    }
  };

  await t.test("as an animal moves to it, is either kept or unknown", async () => {
    await race(["shelter_in_use", "invalid_body"], async (shelterId) => {
      await one.listings.updateProfile(petId, { shelterId }, { atMs: 2 });
    });
  });

  await t.test("as animals are added to it, is either kept or unknown", async () => {
    const rex = { name: "Rex", categoryId: 1n, status: "sold" } as const;
    await race(["shelter_in_use", "invalid_body"], (shelterId) =>
      a.transaction((tx) => addPets(tx, [{ ...rex, shelterId }], { atMs: 2 }), { inOrder: true }),
    );
  });

  await t.test("as a key gets it, is either kept or unknown, and no key loses its shelter", async () => {
    const keyId = await one.addKey(await one.addShelter());
    await one.keys.update(keyId, (key) => ({ ...key, name: "of a shelter" }), stampAt(1));
    const codes = ["shelter_in_use", "invalid_body"];
    await race(codes, (shelterId) => one.moveKey(keyId, shelterId));
    await race(codes, (shelterId) => one.addKey(shelterId));
    assert.equal(await countRows(a, LOST_KEYS), 0);
  });

  await t.test("as its key creates an animal and is revoked, leaves no orphan", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const shelterId = await one.addShelter();
      const keyId = await one.addKey(shelterId);
      const results = await Promise.allSettled([
        one.addPet({ keyId }),
        two.keys.revoke(keyId, stampAt(3)).then(() => two.shelters.delete(shelterId, stampAt(3))),
        one.addPet({ keyId }),
      ]);
      for (const result of results)
        if (result.status === "rejected")
          assert.match(result.reason.code, /^(shelter_in_use|other_shelter)$/);
      assert.equal(await countRows(a, ORPHANS), 0);
    }
  });
});
