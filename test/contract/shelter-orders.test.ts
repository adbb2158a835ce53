// Orders and their events, as keys of shelters see them, on every engine.

import assert from "node:assert/strict";
import { PET_STATUSES } from "../../src/domain/animals/pet.ts";
import { HOUR_MS } from "../../src/domain/basics/durations.ts";
import { EVENT_TYPES, filterFor, isVisible } from "../../src/domain/events/event.ts";
import { type ORDER_SORTS, type Order, positionOf } from "../../src/domain/orders/order.ts";
import type { Database } from "../../src/storage/database.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { createShelterStore } from "../../src/storage/stores/shelters/shelters.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { testOnEngines } from "./engines.ts";
import { openWebhooks } from "./webhook-scene.ts";

const HOLD_MS = 1_000;
const PETS = 30;
/** More than the animals of a small shelter. */
const MANY = 2_500;
/** A key of the network. */
const OWNER = 8n;

/** Every third animal belongs to shelter 1, 2 or 3, and has an order. The last one of shelter 2 was deleted. */
async function openScene(db: Database) {
  const scene = openWebhooks(db);
  const orders = createOrderStore(db, { holdMs: HOLD_MS });
  const listings = createListingStore(db);
  const shelters = createShelterStore(db);
  const origin = { atMs: 1, actor: { command: "test" } };
  for (const name of ["North", "South"]) await shelters.create({ name }, origin);
  const move = (id: bigint, shelterId: bigint) => listings.updateProfile(id, { shelterId }, { atMs: 3 });
  const placed: Order[] = [];
  for (let i = 0; i < PETS; i++) {
    const name = i % 2 === 0 ? "Rex" : "Luna";
    const { id } = await scene.pets.create({ name, categoryId: 1n, status: "available" }, { atMs: 1 });
    await move(id, BigInt((i % 3) + 1));
    placed.push(await orders.create({ petId: id, reference: `r${i}` }, { keyId: OWNER, atMs: 2 + (i % 4) }));
  }
  const last = placed.findLast((_, i) => i % 3 === 1) as Order;
  await orders.move(last.id, "cancelled", { atMs: 9 }, {});
  await scene.pets.delete(last.petId, { atMs: 9 });
  const ofShelter = (shelterId: bigint) =>
    placed.filter((order, i) => BigInt((i % 3) + 1) === shelterId && order !== last);
  return { ...scene, orders, move, last, ofShelter };
}

testOnEngines("Orders of a shelter", async (t, db) => {
  const { orders, last, ofShelter } = await openScene(db);

  async function listAll(filter: Parameters<typeof orders.list>[0], sort: (typeof ORDER_SORTS)[number]) {
    const found: bigint[] = [];
    for (let after: bigint | undefined; ; ) {
      const page = await orders.list(filter, { limit: 4, after }, { sort });
      found.push(...page.map(({ id }) => id));
      const end = page.at(-1);
      if (page.length < 4 || end === undefined) return found;
      after = positionOf(end, sort);
    }
  }

  async function checkPages(): Promise<void> {
    for (const shelterId of [1n, 2n, 3n])
      for (const filter of [
        { keyShelterId: shelterId },
        { shelterId },
        { keyShelterId: shelterId, shelterId },
      ]) {
        const expected = ofShelter(shelterId);
        const ids = expected.map(({ id }) => id);
        assert.deepEqual(await listAll(filter, "oldest"), ids);
        assert.deepEqual(await listAll({ ...filter, status: "placed" }, "newest"), ids.toReversed());
        const ending = expected.toSorted((a, b) => Number(positionOf(a, "ending") - positionOf(b, "ending")));
        assert.deepEqual(
          await listAll({ ...filter, status: "placed" }, "ending"),
          ending.map(({ id }) => id),
        );
        const rex = expected.filter(({ reference }) => Number(reference.slice(1)) % 2 === 0);
        assert.deepEqual(
          await listAll({ ...filter, words: ["rex"] }, "oldest"),
          rex.map(({ id }) => id),
        );
        const [first] = await orders.list(filter, { limit: 1 }, { hasPets: true });
        assert.equal(first?.pet?.id, expected[0]?.petId);
      }
  }

  await t.test("pages have only its orders, are full, and their cursors exact", checkPages);

  await t.test("another shelter in the filter of its key leaves none", async () => {
    assert.deepEqual(await listAll({ keyShelterId: 2n, shelterId: 3n }, "oldest"), []);
  });

  await t.test("counts and finds only its orders, none for a deleted animal", async () => {
    assert.equal((await orders.count({ keyShelterId: 2n })).placed, ofShelter(2n).length);
    assert.equal((await orders.count({ keyShelterId: 2n })).cancelled, 0);
    assert.equal((await orders.count({})).cancelled, 1);
    assert.equal((await orders.count({ keyShelterId: 2n, ownerId: 5n })).placed, 0);
    const [own] = ofShelter(2n) as [Order];
    const [other] = ofShelter(3n) as [Order];
    assert.equal((await orders.find(own.id, { keyShelterId: 2n }))?.id, own.id);
    for (const { id } of [other, last]) assert.equal(await orders.find(id, { keyShelterId: 2n }), undefined);
  });

  await t.test("pages are the same in a large shelter", async () => {
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY}) SELECT i FROM n`;
    await db.transaction((tx) =>
      tx.run(
        `INSERT INTO pets (name, category_id, status, created_at_ms, updated_at_ms, shelter_id)
          SELECT 'x', 1, '${PET_STATUSES[0]}', 1, 1, shelters.id FROM (${rows}) AS r CROSS JOIN shelters`,
      ),
    );
    await checkPages();
    assert.equal((await orders.count({ keyShelterId: 2n })).placed, ofShelter(2n).length);
  });
});

testOnEngines("Events of orders of a shelter", async (t, db) => {
  const { orders, move, ofShelter, createKey, create, claim, events, keys } = await openScene(db);

  const eventsFor = async (access: "adopt" | "manage", shelterId: bigint | undefined) => {
    const filter = filterFor({ id: OWNER, access, shelterId }, {});
    const found = (await events.read("oldest", filter, 500)).events;
    const all = (await events.read("oldest", { types: EVENT_TYPES }, 500)).events;
    assert.deepEqual(
      all.filter((event) => isVisible(event, filter)),
      found,
    );
    return found;
  };
  const orderIdsOf = (found: Awaited<ReturnType<typeof eventsFor>>) =>
    found.filter(({ type }) => type === "order.created").map(({ orderId }) => orderId);

  await t.test("events of other orders are left out, in SQL and in memory alike; others stay", async () => {
    const all = await eventsFor("manage", undefined);
    for (const access of ["adopt", "manage"] as const) {
      const seen = await eventsFor(access, 2n);
      assert.deepEqual(
        orderIdsOf(seen),
        ofShelter(2n).map(({ id }) => id),
      );
      const count = (found: typeof all) => found.filter(({ orderId }) => orderId === undefined).length;
      assert.equal(count(seen), count(all));
    }
  });

  await t.test("a webhook gets orders of the shelter that its key has at the time", async () => {
    const { id: keyId } = await createKey({ shelterId: 2n });
    const after = { ...(await events.newest()), number: 0n };
    const addWebhook = async () => (await create({ keyId, types: ["order.created"], after })).id;
    const claimedOrders = async (id: bigint, nowMs: number) =>
      (await claim(id, nowMs)).map(({ event }) => Number(event.orderId)).toSorted((a, b) => a - b);
    const firstOf = (shelterId: bigint) =>
      ofShelter(shelterId)
        .slice(0, 4)
        .map(({ id }) => Number(id));
    const before = await addWebhook();
    assert.deepEqual(await claimedOrders(before, 10), firstOf(2n));
    await keys.update(keyId, (key) => ({ ...key, shelterId: 3n }), stampAt(11));
    // The claims have ended.
    assert.deepEqual(await claimedOrders(before, HOUR_MS), []);
    assert.deepEqual(await claimedOrders(await addWebhook(), HOUR_MS), firstOf(3n));
  });

  await t.test("orders and their events move along with the animal", async () => {
    const [moved] = ofShelter(3n) as [Order];
    await move(moved.petId, 2n);
    assert.equal((await orders.find(moved.id, { keyShelterId: 2n }))?.id, moved.id);
    assert.equal(await orders.find(moved.id, { keyShelterId: 3n }), undefined);
    assert.ok(orderIdsOf(await eventsFor("manage", 2n)).includes(moved.id));
    assert.ok(!orderIdsOf(await eventsFor("manage", 3n)).includes(moved.id));
    await move(moved.petId, 3n);
  });
});
