// The contract of the event store: order, filters, cursors, what one read examines, retention.

import assert from "node:assert/strict";
import { EVENT_TYPES, type EventFilter, filterFor, isVisible } from "../../src/domain/events/event.ts";
import type { EventCursor } from "../../src/domain/events/event-cursor.ts";
import type { Access } from "../../src/domain/keys/plan.ts";
import type { Database } from "../../src/storage/database.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createEventStore } from "../../src/storage/stores/events/events.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { column } from "../harness/clients/pages.ts";
import { testOnEngines } from "./engines.ts";

const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;
const ALL = { types: EVENT_TYPES };
const RESET = { code: "feed_reset" };

/** Two animals, an order of key 7 and one of key 8, and a category: 11 changes. */
async function fill(db: Database): Promise<void> {
  const pets = createPetStore(db);
  const orders = createOrderStore(db, { holdMs: 60_000 });
  const categories = createCategoryStore(db);
  const stamp = (atMs: number, keyId = 1n) => ({ keyId, atMs });
  await categories.put({ id: 3n, name: "Dogs" }, stamp(1));
  const first = await pets.create(REX, stamp(2));
  const second = await pets.create({ ...REX, name: "Luna" }, stamp(3));
  await orders.create({ petId: first.id }, stamp(4, 7n));
  const order = await orders.create({ petId: second.id }, stamp(5, 8n));
  await orders.move(order.id, "approved", stamp(6), {});
  await pets.update(first.id, { name: "Rex II" }, stamp(7));
  await categories.put({ id: 3n, name: "Big dogs" }, stamp(8));
  await categories.delete(3n, stamp(9));
}

/** Changes of an animal that need no operation. */
async function addChanges(db: Database, count: number): Promise<void> {
  const newest = "(SELECT coalesce(max(number), 0) FROM history)";
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`;
  await db.transaction((tx) =>
    tx.run(
      `INSERT INTO history (number, what, pet_id, state_after, at_ms)
        SELECT ${newest} + i, 'pet.updated', 77, '{"status":"sold","name":"x","categoryId":"1"}', 10 FROM (${rows}) AS r`,
    ),
  );
}

/** How the engine executes a read of 20 events; PostgreSQL also says how many rows it has read in vain. */
async function explainRead(
  db: Database,
  after: EventCursor | "oldest",
  filter: EventFilter,
): Promise<string> {
  let lines: string[] = [];
  const how = db.engine === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)";
  const explained: Database = {
    ...db,
    async all(sql, values) {
      const plan = await db.all(`${how} ${sql}`, values);
      lines = plan.map((row) => String(row.detail ?? row["QUERY PLAN"]));
      return db.all(sql, values);
    },
  };
  await createEventStore(explained).read(after, filter, 20);
  return lines.join("\n");
}

testOnEngines("EventStore", async (t, db) => {
  const events = createEventStore(db);
  const { epoch } = await events.newest();

  await fill(db);

  const numbersOf = async (filter: Parameters<typeof events.read>[1]) =>
    (await events.read("oldest", filter, 100)).events.map(({ number }) => Number(number));

  const filters: Record<string, { access: Access; id?: bigint; wanted?: object; numbers: number[] }> = {
    "browse sees no orders": { access: "browse", numbers: [1, 2, 3, 4, 6, 9, 10, 11] },
    "adopt sees its own orders": { access: "adopt", id: 8n, numbers: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11] },
    "manage sees everything": { access: "manage", numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
    "of one animal": { access: "manage", wanted: { petId: 1n }, numbers: [2, 4, 5, 9] },
    "of no animal": { access: "manage", wanted: { petId: 0n }, numbers: [] },
    "of some types": {
      access: "adopt",
      id: 7n,
      wanted: { types: ["order.created", "category.deleted"] },
      numbers: [5, 11],
    },
    "of types that the key may not see": {
      access: "browse",
      wanted: { types: ["order.created"] },
      numbers: [],
    },
  };
  for (const [name, { access, id = 1n, wanted = {}, numbers }] of Object.entries(filters)) {
    await t.test(`filters: ${name}, in SQL and in memory alike`, async () => {
      const filter = filterFor({ id, access }, wanted);
      assert.deepEqual(await numbersOf(filter), numbers);
      const { events: all } = await events.read("oldest", ALL, 100);
      assert.deepEqual(
        all.filter((each) => isVisible(each, filter)).map(({ number }) => Number(number)),
        numbers,
      );
    });
  }

  await t.test("examines a limited number of events per read, and continues after them", async () => {
    await addChanges(db, 10_500);
    const filter = { types: ["category.deleted" as const] };
    const first = await events.read({ epoch, number: 11n }, filter, 10);
    assert.deepEqual([first.events, first.examined, first.newest], [[], 10_011n, 10_511n]);
    const second = await events.read({ epoch, number: first.examined }, filter, 10);
    assert.deepEqual([second.events, second.examined], [[], 10_511n]);
  });

  await t.test("deletes old events up to the first that stays, and refuses their cursors", async () => {
    assert.equal(await events.forget(4), 3);
    assert.equal(await events.forget(4), 0);
    assert.equal((await events.read("oldest", ALL, 1)).events[0]?.number, 4n);
    assert.equal((await events.read({ epoch, number: 3n }, ALL, 1)).events[0]?.number, 4n);
    await assert.rejects(events.read({ epoch, number: 2n }, ALL, 1), RESET);
    assert.equal((await events.read("oldest", { types: [] }, 1)).examined, 10_003n);
  });

  await t.test("never deletes the newest event, and no animal", async () => {
    const { number } = await events.newest();
    let deleted = 0;
    let step: number;
    do {
      step = await events.forget(Number.MAX_SAFE_INTEGER);
      assert.ok(step <= 500);
      deleted += step;
    } while (step > 0);
    assert.equal(deleted, Number(number) - 3 - 1);
    assert.deepEqual(await numbersOf(ALL), [Number(number)]);
    const pets = createPetStore(db);
    const left = [await pets.find(1n), await pets.find(2n)];
    assert.deepEqual(column(left, "name"), ["Rex II", "Luna"]);
  });
});

testOnEngines("EventStore reads no other events than those that it examines", async (_t, db) => {
  await fill(db);
  // Many more than one read examines; otherwise a good plan reads them all.
  await addChanges(db, 50_000);
  await db.transaction((tx) => tx.run("ANALYZE history"));
  const { epoch } = await createEventStore(db).newest();
  const filters: EventFilter[] = [
    { types: ["category.deleted"] },
    { types: ["pet.deleted", "order.created"], ownerId: 7n },
    ALL,
    { ...ALL, petId: 5n },
  ];
  for (const filter of filters)
    for (const after of ["oldest", { epoch, number: 100n }] as const) {
      const plan = await explainRead(db, after, filter);
      if (db.engine === "sqlite") {
        assert.match(plan, /^SEARCH history USING (?:INTEGER PRIMARY KEY|INDEX history_by_pet) \(/m);
        assert.doesNotMatch(plan, /SCAN history|AUTOMATIC/);
      } else {
        const removed = plan.matchAll(/Rows Removed by (?:Join )?Filter: (\d+)/g);
        for (const [, rows] of removed) assert.ok(Number(rows) <= 10_000, plan);
      }
    }
});
