// Lists of orders on every engine, compared with a plain filter over the same orders, also while orders and animals change.

import assert from "node:assert/strict";
import fc from "fast-check";
import { readWords } from "../../src/domain/animals/search-text.ts";
import {
  type ListedOrder,
  ORDER_SORTS,
  ORDER_STATUSES,
  type OrderSort,
  type OrderStatus,
  positionOf,
} from "../../src/domain/orders/order.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { testOnEngines } from "./engines.ts";

const SEED = 20_261_118;
const ORIGIN = { keyId: 1n, atMs: 1_000 };
/** Eight scripts, accents in both forms, and characters that SQL treats specially. */
const WORDS =
  String.raw`Rex rexi Zoë Zoe${"\u0308"} Ångström O'Neil 50%_a a\b ${'"x"'} 4711 47 Собака ёжик σκύλος ΣΚΥΛΟΣ
  قِطَّة قطة כלב सोना 花子 子 ねこ 강아지 🐕 1`.split(/\s+/);
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));

/** Without the code under test. The words have no letters whose case has special rules. */
function fold(each: string): string {
  return each.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");
}

type Filter = { status?: OrderStatus | undefined; petId?: bigint; ownerId?: bigint; q?: string };

function matches(order: ListedOrder & { keyId: bigint }, { status, petId, ownerId, q = "" }: Filter) {
  const texts = [fold(order.reference), fold(order.pet?.name ?? "")];
  const words = fold(q)
    .split(" ")
    .filter((each) => each !== "");
  return (
    (status === undefined || order.status === status) &&
    (petId === undefined || order.petId === petId) &&
    (ownerId === undefined || order.keyId === ownerId) &&
    words.every((each) => texts.some((within) => within.includes(each)))
  );
}

function compare(sort: OrderSort) {
  return (one: ListedOrder, other: ListedOrder): number => {
    const byTime = sort === "ending" ? (one.expiresAtMs ?? 0) - (other.expiresAtMs ?? 0) : 0;
    const byId = one.id < other.id ? -1 : 1;
    return byTime || (sort === "newest" ? -byId : byId);
  };
}

async function fill(db: Database, count: number) {
  const pets = createPetStore(db);
  const orders: Array<ListedOrder & { keyId: bigint }> = [];
  const texts = fc.sample(fc.tuple(text, text), { numRuns: count, seed: SEED });
  for (const [index, [name, reference]] of texts.entries()) {
    const pet = await pets.create({ name, categoryId: 1n, status: "available" }, ORIGIN);
    const keyId = BigInt(1 + (index % 2));
    // Several orders expire at the same time, in another order than they were placed.
    const store = createOrderStore(db, { holdMs: 1_000 * ((index * 7) % 5) });
    let order = await store.create({ petId: pet.id, reference }, { ...ORIGIN, keyId });
    if (index % 4 === 0) order = (await store.move(order.id, "cancelled", ORIGIN, {})) ?? order;
    if (index % 12 === 0) await pets.delete(pet.id, ORIGIN);
    const found = await pets.find(pet.id);
    orders.push({ ...order, keyId, ...(found && { pet: found }) });
  }
  return { orders, pets };
}

testOnEngines("Lists of orders", async (t, db) => {
  const { orders, pets } = await fill(db, 72);
  const store = createOrderStore(db, { holdMs: 5_000 });

  /** Every page, read by the position of its last order. `between` runs after each page. */
  async function readAll(
    { q = "", ...filter }: Filter,
    { sort, limit }: { sort: OrderSort; limit: number },
    between = async () => {},
  ): Promise<ListedOrder[]> {
    const all: ListedOrder[] = [];
    for (let after: bigint | undefined; ; ) {
      const page = await store.list(
        { ...filter, words: readWords(q) },
        { limit, after },
        { sort, hasPets: true },
      );
      all.push(...page);
      assert.ok(page.length <= limit);
      const last = page.at(-1);
      if (page.length < limit || last === undefined) return all;
      after = positionOf(last, sort);
      await between();
    }
  }

  await t.test("equal a plain filter, with every filter, order and size of pages", async () => {
    const filters = fc.record(
      {
        status: fc.constantFrom(...ORDER_STATUSES.slice(0, 1), "cancelled" as const),
        petId: fc.bigInt({ min: 1n, max: 6n }),
        ownerId: fc.constantFrom(1n, 2n),
        q: fc
          .array(
            fc.oneof(
              word,
              word.map((each) => [...each].slice(0, 2).join("")),
            ),
            { maxLength: 3 },
          )
          .map((each) => each.join("  ")),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    const view = fc.record({ sort: fc.constantFrom(...ORDER_SORTS), limit: fc.integer({ min: 1, max: 9 }) });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filters, view, async (given, { sort, limit }) => {
        const filter = sort === "ending" ? { ...given, status: "placed" as const } : given;
        const expected = orders.filter((order) => matches(order, filter)).sort(compare(sort));
        found += expected.length;
        const plain = expected.map(({ keyId: _, ...order }) => order);
        assert.deepEqual(await readAll(filter, { sort, limit }), plain);
      }),
      { numRuns: 150, seed: SEED },
    );
    assert.ok(found > 500, `only ${found} orders were found`);
  });

  for (const sort of ORDER_SORTS)
    await t.test(`have no order twice, and all unchanged ones, while others change (${sort})`, async () => {
      const status = "placed";
      const before = await readAll({ q: "o", status }, { sort, limit: 100 });
      assert.ok(before.length > 10);
      const changed = new Set<bigint>();
      const waiting = before.filter((_, index) => index % 3 === 0);
      const seen = await readAll({ q: "o", status }, { sort, limit: 2 }, async () => {
        // One order near the start and one near the end: a cancelled order, a renamed animal, and a new order.
        for (const order of [waiting.shift(), waiting.pop()]) {
          if (order === undefined) continue;
          changed.add(order.id);
          if (order.id % 2n === 0n) await store.move(order.id, "cancelled", ORIGIN, {});
          else await pets.update(order.petId, { name: "x" }, ORIGIN);
        }
        const pet = await pets.create({ name: "Oskar", categoryId: 1n, status: "available" }, ORIGIN);
        if (changed.size < 10) changed.add((await store.create({ petId: pet.id }, ORIGIN)).id);
      });
      const ids = seen.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, "none twice");
      const unchanged = (list: ListedOrder[]) => list.map(({ id }) => id).filter((id) => !changed.has(id));
      assert.deepEqual(unchanged(seen), unchanged(before));
    });
});

testOnEngines("A search for orders", async (t, db) => {
  const numbers =
    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)";
  await db.transaction((tx) =>
    tx.run(`INSERT INTO orders (pet_id, status, reference, key_id, created_at_ms, updated_at_ms, expires_at_ms)
      ${numbers} SELECT n, 'placed', 'case ' || n, 1, 0, 0, 5000 - n FROM numbers`),
  );
  const store = createOrderStore(db, { holdMs: 1 });

  await t.test("finds words at both ends of a long list, in pages that are full", async () => {
    for (const sort of ORDER_SORTS) {
      const page = await store.list({ status: "placed", words: ["99"] }, { limit: 30 }, { sort });
      // Among 1 to 2,000.
      const all = Array.from({ length: 2_000 }, (_, index) => index + 1).filter((n) =>
        String(n).includes("99"),
      );
      const expected = sort === "oldest" ? all : all.toReversed();
      assert.deepEqual(
        page.map(({ reference }) => reference),
        expected.slice(0, 30).map((n) => `case ${n}`),
      );
    }
  });

  await t.test("reads at most 1,000 orders at once, and no others after a full page", async () => {
    const limits: unknown[] = [];
    const counted: Database = {
      ...db,
      all(sql, values = []) {
        limits.push(values.at(-1));
        return db.all(sql, values);
      },
    };
    const { list } = createOrderStore(counted, { holdMs: 1 });
    await list({ words: ["case"] }, { limit: 21 });
    assert.deepEqual(limits.splice(0), [21, 21], "the texts, and the orders that were found");
    assert.deepEqual(await list({ words: ["absent"] }, { limit: 21 }), []);
    assert.deepEqual(limits, [21, 84, 336, 1_000, 1_000]);
  });
});
