// Writes that share a commit: each is stored or refused as if it were alone, on every engine.

import assert from "node:assert/strict";
import { readConfig } from "../../src/config/config.ts";
import { PET_STATUSES, type PetStatus } from "../../src/domain/animals/pet.ts";
import { INT64_MAX } from "../../src/domain/basics/int64.ts";
import type { PostStores } from "../../src/domain/idempotency.ts";
import type { Database, SqlValue, Transaction } from "../../src/storage/database.ts";
import { createStores } from "../../src/stores.ts";
import { awaitAll } from "../../src/tools/await-all.ts";
import { assertConsistent, type GroupWrite, runInOneGroup } from "../harness/clients/groups.ts";
import { column } from "../harness/clients/pages.ts";
import { createClock } from "../harness/servers/app.ts";
import { testOnEngines } from "./engines.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const NOT_STORED = "not stored";

const storesOf = (db: Database) => createStores(db, readConfig({}), createClock(1_000), undefined);
const petOf = (name: string, status: PetStatus = "available") => ({ name, categoryId: 1n, status });
const create =
  (name: string, status?: PetStatus): GroupWrite =>
  (db) =>
    storesOf(db).pets.create(petOf(name, status), ORIGIN);

type PostWork = (stores: PostStores) => Promise<unknown>;

/** The work of a POST with this Idempotency-Key. */
const post =
  (key: string, work: PostWork): GroupWrite =>
  (db) =>
    storesOf(db).idempotency.perform(
      { name: Buffer.from(key.padEnd(32)), fingerprint: Buffer.alloc(32), nowMs: 1_000 },
      async (stores) => ({ status: 201, body: Buffer.from(String(await work(stores))) }),
    );
const createOnce = (key: string) => post(key, async ({ pets }) => (await pets.create(petOf(key), ORIGIN)).id);

const resultOf = (outcome: PromiseSettledResult<unknown> | undefined) =>
  (outcome?.status === "fulfilled" ? outcome.value : undefined) as Record<string, unknown> | undefined;
const codeOf = (outcome: PromiseSettledResult<unknown> | undefined) =>
  outcome?.status === "rejected" ? (outcome.reason.code ?? outcome.reason.message) : "";
const namesIn = async (db: Database) =>
  (await db.all("SELECT name FROM pets ORDER BY id")).map(({ name }) => name as string);

testOnEngines("Many creates at the same moment", async (t, db, groupSizes) => {
  const { pets } = storesOf(db);
  const length = 200;
  const statusOf = (index: number) => PET_STATUSES[index % 3] as PetStatus;
  groupSizes.length = 0;
  const created = await Promise.all(
    Array.from({ length }, (_, index) => pets.create(petOf(`Pet ${index}`, statusOf(index)), ORIGIN)),
  );

  await t.test("many creates get ascending ids and numbers in the order of arrival", async () => {
    const expected = Array.from({ length }, (_, index) => BigInt(index + 1));
    assert.deepEqual(column(created, "id"), expected);
    const history = await db.all("SELECT number, pet_id FROM history ORDER BY number");
    assert.deepEqual(
      history,
      expected.map((id) => ({ number: id, pet_id: id })),
    );
    assert.deepEqual(
      await namesIn(db),
      created.map(({ name }) => name),
    );
    assert.deepEqual(await pets.inventory(), { available: 67, pending: 67, sold: 66 });
  });

  await t.test("many creates share a few commits", () => {
    assert.equal(
      groupSizes.reduce((sum, size) => sum + size),
      length,
    );
    assert.ok(groupSizes.length < 10, `${groupSizes.length} commits`);
  });
});

testOnEngines("One group", async (t, db, groupSizes) => {
  const stores = storesOf(db);
  const run = async (...writes: GroupWrite[]) => {
    groupSizes.length = 0;
    const outcomes = await runInOneGroup(db, writes);
    // The first is the one that let the others wait.
    assert.deepEqual(groupSizes, [1, writes.length], "one group");
    await assertConsistent(db);
    return outcomes;
  };
  const addPet = async () => (await stores.pets.create(petOf("Rex"), ORIGIN)).id;

  await t.test("a group may have writes of every kind", async () => {
    const [one, two, three, four] = [await addPet(), await addPet(), await addPet(), await addPet()];
    const outcomes = await run(
      create("first"),
      (db) => storesOf(db).pets.update(one, { name: "Max" }, ORIGIN),
      createOnce("second"),
      (db) => storesOf(db).pets.delete(two, ORIGIN),
      (db) => storesOf(db).orders.create({ petId: three }, ORIGIN),
      post("order", async ({ orders }) => (await orders.create({ petId: four }, ORIGIN)).id),
      create("third", "sold"),
      (db) => storesOf(db).pets.update(999n, { name: "unknown" }, ORIGIN),
      createOnce("fourth"),
    );
    assert.deepEqual(
      column(outcomes, "status"),
      outcomes.map(() => "fulfilled"),
    );
    assert.deepEqual((await namesIn(db)).toSorted(), [
      "Max",
      "Rex",
      "Rex",
      "first",
      "fourth",
      "second",
      "third",
    ]);
    const replay = resultOf(await outcomeOf(createOnce("second")(db)));
    assert.deepEqual(replay, { ...resultOf(outcomes[2]), isReplayed: true, location: undefined });
    assert.deepEqual(await stores.pets.inventory(), { available: 4, pending: 2, sold: 1 });
  });

  await t.test("a group loses no update of an animal that two writes change", async () => {
    const id = await addPet();
    const change =
      (changes: object): GroupWrite =>
      (db) =>
        storesOf(db).pets.update(id, changes, ORIGIN);
    await run(change({ name: "Max" }), change({ categoryId: 7n }));
    const changed = { name: "Max", categoryId: 7n, status: "available" };
    assert.deepEqual(await stores.pets.find(id), { id, ...changed });
    const [, first, second] = await stores.pets.history(id, { limit: 9 });
    assert.deepEqual(second?.from, first?.to);
    assert.deepEqual(second?.to, changed);
  });

  await t.test("a group deletes no animal that was ordered, and updates none that was deleted", async () => {
    const petId = await addPet();
    const remove: GroupWrite = (db) => storesOf(db).pets.delete(petId, ORIGIN);
    const rename: GroupWrite = (db) => storesOf(db).pets.update(petId, { name: "late" }, ORIGIN);
    const [, refused] = await run((db) => storesOf(db).orders.create({ petId }, ORIGIN), remove);
    assert.equal(codeOf(refused), "pet_has_open_order");
    const [order] = await stores.orders.list({ petId }, { limit: 1 });
    await stores.orders.move(order?.id ?? 0n, "cancelled", ORIGIN, {});
    const [deleted, renamed] = await run(remove, rename);
    assert.deepEqual([deleted, renamed].map(resultOf), [true, undefined]);
  });
});

const outcomeOf = async (promise: Promise<unknown>) => (await Promise.allSettled([promise]))[0];
const insertPet = (name: string): [string, SqlValue[]] => [
  "INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'available')",
  [name],
];
const inOrder =
  (work: Parameters<Database["transaction"]>[0]): GroupWrite =>
  (db) =>
    db.transaction(work, { inOrder: true });

const BAD_WRITES: Record<string, GroupWrite> = {
  "that throws before its statements": inOrder(() => Promise.reject(new Error("on purpose"))),
  "that throws between its statements": inOrder(async (tx) => {
    await tx.run(...insertPet(NOT_STORED));
    throw new Error("on purpose");
  }),
  "that throws after a statement that others share": post("bad", async ({ pets }) => {
    await pets.create(petOf(NOT_STORED), ORIGIN);
    throw new Error("on purpose");
  }),
  "that needs a statement for itself after one that others share, and throws after both": post(
    "bad",
    async ({ pets }) => {
      const { id } = await pets.create(petOf(NOT_STORED), ORIGIN);
      await pets.update(id, { name: `${NOT_STORED} either` }, ORIGIN);
      throw new Error("on purpose");
    },
  ),
  "whose shared statement violates a constraint": create(NOT_STORED, "lost" as PetStatus),
  "whose own statement violates a constraint": inOrder(async (tx) => {
    await tx.run(...insertPet(NOT_STORED));
    await tx.run("INSERT INTO pets (name, category_id, status) VALUES ('x', 1, 'lost')");
  }),
  "with Idempotency-Key that violates a constraint": post("bad", ({ pets }) =>
    pets.create(petOf(NOT_STORED, "lost" as PetStatus), ORIGIN),
  ),
  "with a number that no engine can store": (db) =>
    storesOf(db).pets.create({ ...petOf(NOT_STORED), categoryId: INT64_MAX + 1n }, ORIGIN),
};
/** SQLite stores the first, and the second with another character. */
const BAD_ON_POSTGRES: Record<string, GroupWrite> = {
  "with the character NUL": create(`${NOT_STORED}\0`),
  "with half a character": create(`${NOT_STORED}\ud800`),
};

testOnEngines("Bad writes in every position of a group", async (t, db, groupSizes) => {
  const bad = { ...BAD_WRITES, ...(db.engine === "postgres" && BAD_ON_POSTGRES) };
  const { id } = await storesOf(db).pets.create(petOf("Rex"), ORIGIN);
  for (const [what, badWrite] of Object.entries(bad)) {
    await t.test(`a write ${what} fails alone and leaves nothing`, async () => {
      for (let position = 0; position <= 4; position++) {
        const label = `${what} ${position}`;
        const key = `key ${Object.keys(bad).indexOf(what)} ${position}`;
        const writes = [
          create(`${label} a`),
          createOnce(key),
          (db: Database) => storesOf(db).pets.update(id, { name: label }, ORIGIN),
          create(`${label} b`),
        ];
        groupSizes.length = 0;
        const outcomes = await runInOneGroup(db, writes.toSpliced(position, 0, badWrite));
        assert.deepEqual(groupSizes, [1, 5]);
        const [refused] = outcomes.splice(position, 1);
        assert.equal(refused?.status, "rejected");
        assert.deepEqual(outcomes.map(codeOf), ["", "", "", ""]);
        const stored = await namesIn(db);
        assert.deepEqual(stored.slice(-3).toSorted(), [`${label} a`, `${label} b`, key].toSorted());
        assert.equal(stored[0], label);
        assert.equal(stored.length, new Set(stored).size, "none is stored twice");
        // Its first attempt may have been rolled back together with the bad write.
        assert.equal(resultOf(await outcomeOf(createOnce(key)(db)))?.isReplayed, true);
        await assertConsistent(db);
      }
      const traces = "SELECT count(*) AS count FROM history WHERE state_after LIKE $1";
      assert.deepEqual(await db.first(traces, [`%${NOT_STORED}%`]), { count: 0n });
      const kept = "SELECT count(*) AS count FROM idempotency_keys WHERE name = $1";
      assert.deepEqual(await db.first(kept, [Buffer.from("bad".padEnd(32))]), { count: 0n });
    });
  }
});

testOnEngines("Statements of one write that are sent together", async (t, db) => {
  const add = (tx: Transaction, name: string | null) =>
    tx.run("INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'sold')", [name]);
  const write = (work: (tx: Transaction) => Promise<unknown>): GroupWrite => {
    return (database) => database.transaction(work, { inOrder: true });
  };

  await t.test("statements of one write run in their order", async () => {
    const count = "SELECT count(*) AS count FROM pets";
    const work = (tx: Transaction) =>
      awaitAll([tx.first(count), add(tx, "Rex"), add(tx, "Mia"), tx.first(count)]);
    const [outcome] = await runInOneGroup(db, [write(work)]);
    assert.deepEqual(resultOf(outcome), [{ count: 0n }, 1, 1, { count: 2n }]);
  });

  await t.test("statements of a failed write are undone together, also the later ones", async () => {
    const fail = write((tx) => awaitAll([add(tx, "Tom"), add(tx, null), add(tx, "Zoe")]));
    const outcomes = await runInOneGroup(db, [fail, create("Bob"), fail]);
    assert.deepEqual(column(outcomes, "status"), ["rejected", "fulfilled", "rejected"]);
    assert.match(String(codeOf(outcomes[0])), /NOTNULL|23502/);
    assert.deepEqual(await namesIn(db), ["Rex", "Mia", "Bob"]);
  });
});
