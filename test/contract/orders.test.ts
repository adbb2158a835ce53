// Orders, history and inventory in the stores: one open order per animal, holds that end once, and changes without a gap.

import assert from "node:assert/strict";
import { ORDER_COUNT_MAX } from "../../src/domain/basics/list-limits.ts";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { countRows, testOnEmptyEngines, testOnEngines } from "./engines.ts";
import { followTable } from "./follow-table.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const HOLD_MS = 60_000;
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;
const INSERT = "INSERT INTO orders (pet_id, status, reference, key_id, created_at_ms, updated_at_ms)";

function open(db: Database) {
  const pets = createPetStore(db);
  const orders = createOrderStore(db, { holdMs: HOLD_MS });
  const order = async (keyId = 1n) => {
    const pet = await pets.create(REX, ORIGIN);
    return orders.create({ petId: pet.id }, { ...ORIGIN, keyId });
  };
  return { pets, orders, order };
}

testOnEngines("OrderStore", async (t, db) => {
  const { pets, orders, order } = open(db);

  await t.test("refuses a second open order by an index, even if the animal is available", async () => {
    const { petId } = await order();
    // No operation leaves this state: an open order and an available animal.
    await db.transaction((tx) => tx.run("UPDATE pets SET status = 'available' WHERE id = $1", [petId]));
    const before = await countRows(db, "history");
    await assert.rejects(orders.create({ petId }, ORIGIN), { code: "pet_not_available" });
    assert.equal((await pets.find(petId))?.status, "available", "nothing half done");
    assert.equal(await countRows(db, "history"), before);
    const forge = db.transaction((tx) => tx.run(`${INSERT} VALUES ($1, 'approved', '', 1, 0, 0)`, [petId]));
    await assert.rejects(forge, /unique/i);
  });

  await t.test("stops counting the orders in a status at the maximum, also of one owner", async () => {
    await order(70n);
    await db.transaction((tx) =>
      tx.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= $1)
         ${INSERT} SELECT 1, 'cancelled', '', 71, 0, 0 FROM numbers`,
        [ORDER_COUNT_MAX],
      ),
    );
    assert.equal((await orders.count({})).cancelled, ORDER_COUNT_MAX);
    assert.equal((await orders.count({ ownerId: 71n })).cancelled, ORDER_COUNT_MAX);
    const { placed, cancelled } = await orders.count({ ownerId: 70n });
    assert.deepEqual([placed, cancelled], [1, 0]);
  });

  await t.test("lists orders with their animals by one query for each page", async () => {
    const placed = [await order(9n), await order(9n), await order(9n)];
    let queries = 0;
    const counted: Database = {
      ...db,
      all(...query) {
        queries += 1;
        return db.all(...query);
      },
      first: () => assert.fail("another query"),
    };
    const view = { sort: "newest", hasPets: true } as const;
    const page = await open(counted).orders.list({ ownerId: 9n }, { limit: 2 }, view);
    assert.equal(queries, 1);
    const expected = placed.slice(1).map(async (each) => ({ ...each, pet: await pets.find(each.petId) }));
    assert.deepEqual(page, (await Promise.all(expected)).toReversed());
  });

  await t.test("ends each hold once, however many nodes do it", async () => {
    for (let i = 0; i < 120; i++) await order();
    const { placed } = await orders.count({});
    const expireAll = async () => {
      const node = open(db).orders;
      for (let sum = 0; ; ) {
        const expired = await node.expire(ORIGIN.atMs + HOLD_MS);
        if (expired === 0) return sum;
        assert.ok(expired <= 50, "a few at a time");
        sum += expired;
      }
    };
    const sums = await Promise.all([expireAll(), expireAll(), expireAll(), expireAll()]);
    assert.equal(
      sums.reduce((sum, each) => sum + each),
      placed,
    );
    const records = "history WHERE what = 'order.updated' AND state_after LIKE '%expired%'";
    assert.equal(await countRows(db, records), placed);
  });
});

testOnEngines("A reader of the history sees every change once and without a gap", async (_t, db) => {
  const { pets, orders } = open(db);
  const adopt = async (index: number) => {
    const { id } = await pets.create(REX, ORIGIN);
    const placing = [orders.create({ petId: id }, ORIGIN), orders.create({ petId: id }, ORIGIN)];
    const outcomes = await Promise.allSettled(placing);
    assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 1);
    const order = outcomes.find((outcome) => outcome.status === "fulfilled")?.value;
    if (order && index % 2 === 0) await orders.move(order.id, "cancelled", ORIGIN, {});
  };
  const adoptAll = async () => {
    for (let i = 0; i < 30; i += 6)
      await Promise.all(Array.from({ length: 6 }, (_, index) => adopt(i + index)));
  };
  const seen = await followTable(db, { table: "history", column: "number" }, adoptAll());
  // Created, ordered (order and animal), and half of them cancelled (order and animal).
  assert.equal(seen.length, 30 * 3 + 15 * 2);
  assert.equal(seen.at(-1), BigInt(seen.length));
});

testOnEmptyEngines("The migration to adoptions counts existing animals, and later ones", async (_t, db) => {
  await migrate(db, 0, 1);
  const insert = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, $1)";
  for (const status of ["sold", "sold", "available"]) await db.transaction((tx) => tx.run(insert, [status]));
  assert.deepEqual(await migrate(db, 0, 2), ["adoptions"]);
  const { pets, orders } = open(db);
  assert.deepEqual(await pets.inventory(), { available: 1, pending: 0, sold: 2 });
  // As a node of the previous release writes it.
  await db.transaction((tx) => tx.run(insert, ["available"]));
  assert.deepEqual(await pets.inventory(), { available: 2, pending: 0, sold: 2 });
  await migrate(db, 0);
  assert.deepEqual(await pets.history(1n, { limit: 9 }), []);
  assert.equal((await orders.create({ petId: 4n }, ORIGIN)).id, 1n);
});
