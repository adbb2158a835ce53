// The contract of orders, history, inventory and stored responses, on every engine.

import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import { ORDER_COUNT_MAX } from "../../src/domain/basics/list-limits.ts";
import type { KeptAnswer, PostStores } from "../../src/domain/idempotency.ts";
import type { Database } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import {
  type BindStores,
  createIdempotencyStore,
  type Touched,
} from "../../src/storage/stores/idempotency.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { testOnEmptyEngines, testOnEngines } from "./engines.ts";

const STAMP = { keyId: 1n, atMs: 1_000 };
const HOLD_MS = 60_000;
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

const storesOf = (db: Database) => ({
  pets: createPetStore(db),
  orders: createOrderStore(db, { holdMs: HOLD_MS }),
});
const isService = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const count = async (db: Database, table: string) =>
  Number((await db.first(`SELECT count(*) AS count FROM ${table}`))?.count);

testOnEngines("OrderStore", async (t, db) => {
  const { pets, orders } = storesOf(db);

  await t.test("refuses a second open order by an index, even if the animal is available", async () => {
    const pet = await pets.create(REX, STAMP);
    await orders.create({ petId: pet.id }, STAMP);
    // No operation leaves this state: an open order and an available animal.
    await db.transaction((tx) => tx.run("UPDATE pets SET status = 'available' WHERE id = $1", [pet.id]));
    const before = await count(db, "history");
    await assert.rejects(orders.create({ petId: pet.id }, STAMP), isService("pet_not_available"));
    assert.equal((await pets.find(pet.id))?.status, "available", "nothing half done");
    assert.equal(await count(db, "history"), before);
    const forge = db.transaction((tx) =>
      tx.run(
        "INSERT INTO orders (pet_id, status, reference, key_id, created_at_ms, updated_at_ms) VALUES ($1, 'approved', '', 1, 0, 0)",
        [pet.id],
      ),
    );
    await assert.rejects(forge, /unique/i);
  });

  await t.test("finds only the orders of the given owner", async () => {
    const pet = await pets.create(REX, STAMP);
    const order = await orders.create({ petId: pet.id }, { keyId: 7n, atMs: 2_000 });
    assert.deepEqual(await orders.find(order.id, { ownerId: 7n }), order);
    assert.equal(await orders.find(order.id, { ownerId: 8n }), undefined);
    assert.equal(await orders.move(order.id, "cancelled", STAMP, { ownerId: 8n }), undefined);
    assert.deepEqual(await orders.list({ ownerId: 8n }, { limit: 9 }), []);
    assert.deepEqual(await orders.list({ ownerId: 7n, petId: pet.id, status: "placed" }, { limit: 9 }), [
      order,
    ]);
  });

  await t.test("counts the orders in each status, of one owner too, and stops at the maximum", async () => {
    const owned = { ownerId: 70n };
    const zero = { placed: 0, approved: 0, delivered: 0, returned: 0, cancelled: 0, expired: 0 };
    assert.deepEqual(await orders.count(owned), zero);
    const pet = await pets.create(REX, STAMP);
    await orders.create({ petId: pet.id }, { keyId: 70n, atMs: 2_000 });
    assert.deepEqual(await orders.count(owned), { ...zero, placed: 1 });
    const before = (await orders.count({})).cancelled;
    await db.transaction((tx) =>
      tx.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= $1)
         INSERT INTO orders (pet_id, status, reference, key_id, created_at_ms, updated_at_ms)
         SELECT 1, 'cancelled', '', 71, 0, 0 FROM numbers`,
        [ORDER_COUNT_MAX],
      ),
    );
    assert.ok(before < ORDER_COUNT_MAX);
    assert.equal((await orders.count({})).cancelled, ORDER_COUNT_MAX);
    assert.equal((await orders.count({ ownerId: 71n })).cancelled, ORDER_COUNT_MAX);
    assert.deepEqual(await orders.count(owned), { ...zero, placed: 1 });
  });

  await t.test("lists orders with their animals by one query for each page", async () => {
    const ids: bigint[] = [];
    for (const name of ["Ada", "Bob", "Cleo"]) {
      const pet = await pets.create({ ...REX, name }, STAMP);
      ids.push((await orders.create({ petId: pet.id }, { keyId: 9n, atMs: 2_000 })).id);
    }
    const [, second, third] = ids as [bigint, bigint, bigint];
    const gone = (await orders.find(second, {}))?.petId as bigint;
    await orders.move(second, "cancelled", STAMP, {});
    await pets.delete(gone, STAMP);

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
    const page = await storesOf(counted).orders.list({ ownerId: 9n }, { limit: 2 }, view);
    assert.equal(queries, 1);
    assert.deepEqual(
      page.map(({ id, pet }) => [id, pet?.name, pet?.status]),
      [
        [third, "Cleo", "pending"],
        [second, undefined, undefined],
      ],
    );
    assert.deepEqual(page[0]?.pet, await pets.find(page[0]?.petId as bigint));
    const rest = await orders.list({ ownerId: 9n }, { limit: 2, after: second }, view);
    assert.deepEqual(
      rest.map(({ pet }) => pet?.name),
      ["Ada"],
    );
    for (const id of [ids[0], third]) await orders.move(id as bigint, "cancelled", STAMP, {});
  });

  await t.test("ends each hold once, however many nodes do it", async () => {
    const length = 120;
    for (let i = 0; i < length; i++) {
      const { id } = await pets.create(REX, STAMP);
      await orders.create({ petId: id }, STAMP);
    }
    const nodes = Array.from({ length: 4 }, () => storesOf(db).orders);
    const expireAll = async (node: (typeof nodes)[number]) => {
      let sum = 0;
      for (;;) {
        const expired = await node.expire(STAMP.atMs + HOLD_MS);
        if (expired === 0) return sum;
        assert.ok(expired <= 50, "a few at a time");
        sum += expired;
      }
    };
    const sums = await Promise.all(nodes.map(expireAll));
    // One more: the order that the first test left.
    assert.equal(
      sums.reduce((sum, each) => sum + each),
      length + 1,
    );
    const { count: records } = (await db.first(
      "SELECT count(*) AS count FROM history WHERE what = 'order.updated' AND state_after LIKE '%expired%'",
    )) as { count: bigint };
    assert.equal(Number(records), length + 1);
  });

  await t.test("counts the animals by status", async () => {
    const rows = await db.all("SELECT status, count(*) AS count FROM pets GROUP BY status");
    const counted = Object.fromEntries(rows.map((row) => [row.status, Number(row.count)]));
    assert.deepEqual(await pets.inventory(), { available: 0, pending: 0, sold: 0, ...counted });
  });
});

testOnEngines("History", async (t, db) => {
  const { pets, orders } = storesOf(db);

  await t.test(
    "shows every change once, in order and without a gap, to a reader that pages by number",
    async () => {
      const seen: bigint[] = [];
      const readOn = async () => {
        const sql = "SELECT number FROM history WHERE number > $1 ORDER BY number LIMIT 7";
        const rows = await db.all(sql, [seen.at(-1) ?? 0n]);
        seen.push(...rows.map((row) => row.number as bigint));
        return rows.length;
      };
      let isDone = false;
      const reading = (async () => {
        while (!isDone) {
          await readOn();
          await nextTick();
        }
      })();
      const adopt = async (index: number) => {
        const { id } = await pets.create(REX, STAMP);
        const placing = [orders.create({ petId: id }, STAMP), orders.create({ petId: id }, STAMP)];
        const outcomes = await Promise.allSettled(placing);
        assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 1);
        const order = outcomes.find((outcome) => outcome.status === "fulfilled")?.value;
        if (order && index % 2 === 0) await orders.move(order.id, "cancelled", STAMP, {});
      };
      const adopting = async () => {
        for (let i = 0; i < 30; i += 6) {
          await Promise.all(Array.from({ length: 6 }, (_, index) => adopt(i + index)));
        }
      };
      await adopting().finally(() => {
        isDone = true;
      });
      await reading;
      while ((await readOn()) > 0);
      // Created, ordered (order and animal), and half of them cancelled (order and animal).
      assert.equal(seen.length, 30 * 3 + 15 * 2);
      assert.deepEqual(
        seen,
        seen.map((_, index) => BigInt(index + 1)),
      );
    },
  );
});

testOnEngines("CategoryStore", async (t, db) => {
  const categories = createCategoryStore(db);
  await t.test("creates, renames and deletes", async () => {
    assert.equal(await categories.put({ id: 5n, name: "Dogs" }, STAMP), "created");
    assert.equal(await categories.put({ id: 5n, name: "Hounds" }, STAMP), "renamed");
    assert.deepEqual(await categories.list({ limit: 9 }), [{ id: 5n, name: "Hounds" }]);
    assert.deepEqual([await categories.delete(5n, STAMP), await categories.delete(5n, STAMP)], [true, false]);
    assert.deepEqual(await storesOf(db).pets.history(0n, { limit: 9 }), [], "no animal has these changes");
  });
});

testOnEngines("IdempotencyStore", async (t, db) => {
  const told: Array<[string, number | undefined]> = [];
  const bind: BindStores = (joined) => {
    const touched = new Map<string, number>();
    const pets = createPetStore(joined, async (version) => void touched.set("pets", version));
    return { stores: { pets } as unknown as PostStores, touched };
  };
  const publishChanges = async (touched: Touched) => void told.push(...touched);
  const idempotency = createIdempotencyStore(db, { bind, publishChanges });
  const named = (name: string, body = "") => ({
    name: Buffer.from(name.padEnd(32)),
    fingerprint: Buffer.from(body.padEnd(32)),
    nowMs: 1_000,
  });
  const answer: KeptAnswer = { status: 201, location: "here", body: Buffer.from([0, 255, 10]) };

  await t.test("stores the response with the work, and reports the changes again with a replay", async () => {
    const work = async ({ pets }: PostStores) => {
      await pets.create(REX, STAMP);
      return answer;
    };
    assert.deepEqual(await idempotency.perform(named("a"), work), { ...answer, isReplayed: false });
    assert.deepEqual(await idempotency.perform(named("a"), work), { ...answer, isReplayed: true });
    assert.equal(await count(db, "pets"), 1);
    assert.deepEqual(told, [
      ["pets", 1],
      ["pets", undefined],
    ]);
    await assert.rejects(idempotency.perform(named("a", "other"), work), isService("idempotency_key_reused"));
  });

  await t.test("stores neither response nor work if the work fails", async () => {
    const fail = async ({ pets }: PostStores) => {
      await pets.create(REX, STAMP);
      throw new Error("on purpose");
    };
    await assert.rejects(idempotency.perform(named("b"), fail), /on purpose/);
    assert.equal(await count(db, "pets"), 1);
    assert.equal((await idempotency.perform(named("b"), async () => answer)).isReplayed, false);
  });

  await t.test("refuses the same request while it runs, but no other", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = db.transaction(
      async () => {
        begin();
        await released;
      },
      { claim: 42n },
    );
    await begun;
    await assert.rejects(
      db.transaction(async () => {}, { claim: 42n }),
      isService("idempotency_in_progress"),
    );
    const other = db.transaction(async () => "done", { claim: 43n });
    release();
    await slow;
    assert.equal(await other, "done");
    assert.equal(await db.transaction(async () => "again", { claim: 42n }), "again");
  });

  await t.test("replays a finished request to many callers at the same time", async () => {
    const replays = Array.from({ length: 20 }, () => idempotency.perform(named("a"), async () => answer));
    for (const { isReplayed } of await Promise.all(replays)) assert.equal(isReplayed, true);
  });

  await t.test("releases the claim if the work fails", async () => {
    const fail = db.transaction(() => Promise.reject(new Error("no")), { claim: 42n });
    await assert.rejects(fail, /no/);
    assert.equal(await db.transaction(async () => "free", { claim: 42n }), "free");
  });

  await t.test("prepares once for many callers at the same time", async () => {
    const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
    let preparations = 0;
    const perform = () =>
      idempotency.perform(
        named("prepared"),
        async () => answer,
        () => {
          preparations += 1;
          return prepared;
        },
      );
    const first = perform();
    while (preparations === 0) await nextTick();
    const others = await Promise.allSettled(Array.from({ length: 19 }, perform));
    const reasons = others.map((each) => each.status === "rejected" && each.reason.code);
    assert.deepEqual(new Set(reasons), new Set(["idempotency_in_progress"]));
    finish();
    assert.equal((await first).isReplayed, false);
    assert.equal((await perform()).isReplayed, true);
    assert.equal(preparations, 1);
  });

  await t.test("prepares nothing if the other request has finished since the first read", async () => {
    const earlier: Database = { ...db, batched: async () => undefined };
    const late = createIdempotencyStore(earlier, { bind, publishChanges });
    const prepare = () => assert.fail("prepared again");
    const { isReplayed } = await late.perform(named("prepared"), async () => answer, prepare);
    assert.equal(isReplayed, true);
  });

  await t.test("releases the key if the preparation or the work fails", async () => {
    const fail = () => Promise.reject(new Error("on purpose"));
    const works = { preparation: [async () => answer, fail], work: [fail, async () => {}] } as const;
    for (const [what, [work, prepare]] of Object.entries(works)) {
      await assert.rejects(idempotency.perform(named(what), work, prepare), /on purpose/);
      const again = await idempotency.perform(
        named(what),
        async () => answer,
        async () => {},
      );
      assert.equal(again.isReplayed, false, what);
    }
    const rows = await db.all("SELECT status FROM idempotency_keys WHERE status = 0");
    assert.deepEqual(rows, [], "no claim is left");
  });

  await t.test(
    "lets another request prepare two minutes after a node has stopped in the middle",
    async () => {
      const never = new Promise<never>(() => {});
      let hasBegun = false;
      void idempotency.perform(
        named("stopped"),
        async () => answer,
        () => {
          hasBegun = true;
          return never;
        },
      );
      while (!hasBegun) await nextTick();
      const laterBy = (ms: number) => ({ ...named("stopped"), nowMs: named("").nowMs + ms });
      const retry = (ms: number) =>
        idempotency.perform(
          laterBy(ms),
          async () => answer,
          async () => {},
        );
      await assert.rejects(retry(119_999), isService("idempotency_in_progress"));
      assert.equal((await retry(120_000)).isReplayed, false);
      assert.equal((await retry(120_001)).isReplayed, true);
    },
  );

  await t.test("does not do the work of a request that has lost its claim", async () => {
    const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
    const { promise: working, resolve: work } = Promise.withResolvers<void>();
    let steps = 0;
    const slow = idempotency.perform(
      named("lost"),
      () => assert.fail("worked twice"),
      () => {
        steps += 1;
        return prepared;
      },
    );
    while (steps === 0) await nextTick();
    const later = { ...named("lost"), nowMs: named("").nowMs + 120_000 };
    const second = idempotency.perform(
      later,
      async () => answer,
      () => {
        steps += 1;
        return working;
      },
    );
    while (steps === 1) await nextTick();
    finish();
    await assert.rejects(slow, isService("idempotency_in_progress"));
    // The first one has not released the claim of the second.
    const third = idempotency.perform(
      later,
      async () => answer,
      () => assert.fail("prepared again"),
    );
    await assert.rejects(third, isService("idempotency_in_progress"));
    work();
    assert.equal((await second).isReplayed, false);
  });

  await t.test("deletes responses that are a day old, 500 at a time", async () => {
    await db.transaction(
      async (tx) => {
        for (let i = 0; i < 1_200; i++) {
          await tx.run(
            "INSERT INTO idempotency_keys (name, fingerprint, status, body, touched, created_at_ms) VALUES ($1, $2, 200, $2, '', $3)",
            [Buffer.from(`old ${i}`), Buffer.alloc(0), 500],
          );
        }
      },
      { deadlineMs: 30_000 },
    );
    const nowMs = 86_400_000 + 999;
    const steps = [
      await idempotency.forget(nowMs),
      await idempotency.forget(nowMs),
      await idempotency.forget(nowMs),
    ];
    assert.deepEqual([...steps, await idempotency.forget(nowMs)], [500, 500, 200, 0]);
    assert.equal(
      (await idempotency.perform(named("a"), async () => answer)).isReplayed,
      true,
      "younger ones stay",
    );
    assert.ok((await idempotency.forget(nowMs + 1)) > 1);
    assert.equal(await idempotency.forget(2 * nowMs), 2, "the late ones");
  });
});

testOnEmptyEngines("The migration to adoptions", async (t, db) => {
  await t.test("counts existing animals, and continues to count", async () => {
    await migrate(db, 0, 1);
    const insert = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, $1)";
    for (const status of ["sold", "sold", "available"])
      await db.transaction((tx) => tx.run(insert, [status]));
    assert.deepEqual(await migrate(db, 0, 2), ["adoptions"]);
    const { pets, orders } = storesOf(db);
    assert.deepEqual(await pets.inventory(), { available: 1, pending: 0, sold: 2 });
    // As a node of the previous release writes it.
    await db.transaction((tx) => tx.run(insert, ["available"]));
    assert.deepEqual(await pets.inventory(), { available: 2, pending: 0, sold: 2 });
    await migrate(db, 0);
    assert.deepEqual(await pets.history(1n, { limit: 9 }), []);
    assert.equal((await orders.create({ petId: 4n }, STAMP)).id, 1n);
  });
});
