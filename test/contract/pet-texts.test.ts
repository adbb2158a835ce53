// The texts of animals and their index: older animals, older nodes, steps, and searches that end early.

import assert from "node:assert/strict";
import { readWords, searchTextOf } from "../../src/domain/animals/search-text.ts";
import type { Database, SqlValue } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { chooseMatch } from "../../src/storage/search/gram-choice.ts";
import { addMissingTexts, createTextStore, putTexts } from "../../src/storage/search/pet-texts.ts";
import { INDEX_LOCK } from "../../src/storage/search/postgres-indexer.ts";
import { createSearch } from "../../src/storage/search/search.ts";
import { createIndexer } from "../../src/storage/search/sqlite-index.ts";
import type { SearchedList } from "../../src/storage/search/text-index.ts";
import { type NewChange, recordChanges } from "../../src/storage/stores/animals/history.ts";
import { addPets, createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { testOnEmptyEngines, testOnEngines } from "./engines.ts";

const STAMP = { atMs: 1 };
const BEFORE_SEARCH = 9;
const BEFORE_WAITING = 12;
const BEFORE_GRAMS = 13;
const LIST: SearchedList = {
  sort: "oldest",
  selectIds: (after, limit, conditions) =>
    `SELECT id FROM pets WHERE ${["true", ...conditions].join(" AND ")} AND id > ${after} ORDER BY id LIMIT ${limit}`,
  matches: [],
  values: [],
};

async function find(db: Database, q: string): Promise<bigint[]> {
  return (await createSearch(db)(readWords(q), LIST, { limit: 100, after: 0n })).ids;
}

/** As a node of an older release does. */
async function insertOld(db: Database, name: string): Promise<void> {
  const sql = "INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'available')";
  await db.transaction((tx) => tx.run(sql, [name]), { inOrder: true });
}

const changeOf = (petId: bigint): NewChange => ({ type: "pet.updated", petId, ...STAMP });

/** The database, which notes the statements that read. */
function watch(db: Database, statements: string[]): Database {
  const note =
    <T>(ask: (sql: string, values?: SqlValue[]) => Promise<T>) =>
    (sql: string, values?: SqlValue[]) => {
      statements.push(sql);
      return ask(sql, values);
    };
  return { ...db, all: note(db.all), first: note(db.first) };
}

function addMany(db: Database, names: string[]): Promise<bigint[]> {
  const pets = names.map((name) => ({ name, categoryId: 1n, status: "available" as const }));
  return db.transaction((tx) => addPets(tx, pets, STAMP), { inOrder: true });
}

async function countWaiting(db: Database): Promise<number> {
  return Number((await db.first("SELECT count(*) AS texts FROM pet_texts WHERE is_waiting = 1"))?.texts);
}

testOnEmptyEngines("The migration to the search", async (t, db) => {
  await migrate(db, 0, BEFORE_SEARCH);
  for (const name of ["Réx", "Bella", "Rex"]) await insertOld(db, name);
  await db.transaction((tx) => tx.run("DELETE FROM pets WHERE name = 'Rex'"));
  await migrate(db, 0);

  await t.test("adds the texts of all animals", async () => {
    assert.deepEqual(await find(db, "rex"), [1n]);
    assert.deepEqual(await find(db, "bella"), [2n]);
  });

  await t.test("continues with the next start after an interruption", async () => {
    await db.transaction(async (tx) => {
      await tx.run("DELETE FROM pet_texts");
      await tx.run("UPDATE store SET texts_filled = 0");
    });
    assert.deepEqual(await find(db, "rex"), []);
    await migrate(db, 0);
    assert.deepEqual(await find(db, "rex"), [1n]);
  });
});

testOnEmptyEngines("The migration to texts that wait", async (t, db) => {
  if (db.engine !== "postgres") return;
  await t.test("replaces the index of all texts", async () => {
    await migrate(db, 0, BEFORE_WAITING);
    await db.transaction(async (tx) => {
      await tx.run("CREATE EXTENSION IF NOT EXISTS pg_trgm");
      await tx.run("CREATE INDEX pet_texts_by_trigram ON pet_texts USING gin (text gin_trgm_ops)");
    });
    await migrate(db, 0);
    const row = await db.first("SELECT pg_get_indexdef('pet_texts_by_trigram'::regclass) AS definition");
    assert.match(String(row?.definition), /WHERE \(is_waiting = 0\)$/);
  });
});

testOnEmptyEngines("The migration to grams", async (t, db) => {
  if (db.engine !== "sqlite") return;
  await migrate(db, 0, BEFORE_GRAMS);
  await db.transaction(async (tx) => {
    for (let id = 1n; id <= 64n; id++) {
      await tx.run("INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'sold')", [
        `Rex${100n + id}`,
      ]);
      await tx.run("INSERT INTO pet_texts (pet_id, text) VALUES ($1, $2)", [id, `QQrex${100n + id}`]);
      await tx.run(
        "INSERT INTO pet_index (rowid, text) SELECT -pet_id, text FROM pet_texts WHERE pet_id = $1",
        [id],
      );
    }
    await tx.run("UPDATE store SET indexed_through = 64, texts_filled = 1");
  });
  await migrate(db, 0);

  await t.test("finds animals while the index is empty", async () => {
    assert.equal((await db.first("SELECT count(*) AS texts FROM pet_index"))?.texts, 0n);
    assert.deepEqual(await find(db, "rex164"), [64n]);
  });

  await t.test("fills the index again, with the same settings", async () => {
    const index = createIndexer(db);
    while (await index());
    assert.equal((await db.first("SELECT indexed_through FROM store"))?.indexed_through, 64n);
    assert.equal((await db.first("SELECT count(*) AS texts FROM pet_index"))?.texts, 64n);
    assert.deepEqual(await find(db, "rex164"), [64n]);
    const settings = await db.all("SELECT k, v FROM pet_index_config WHERE k LIKE '%merge' ORDER BY k");
    assert.deepEqual(settings, [
      { k: "automerge", v: 0n },
      { k: "crisismerge", v: 1_999n },
    ]);
  });
});

testOnEngines("Texts of animals", async (t, db) => {
  const pets = createPetStore(db);

  await t.test("are added where they are missing, in several steps", async () => {
    const ids = await addMany(
      db,
      Array.from({ length: 1_100 }, (_, i) => `Luna ${i}`),
    );
    await db.transaction((tx) => tx.run("DELETE FROM pet_texts WHERE pet_id <> 600"));
    await addMissingTexts(db);
    assert.deepEqual((await db.first("SELECT count(*) AS texts FROM pet_texts"))?.texts, 1_100n);
    assert.deepEqual(await find(db, "1099"), [ids.at(-1)]);
    if (db.engine === "postgres") assert.equal(await countWaiting(db), 1, "only the one that was left");
  });

  await t.test("follow every change of a name or a category", async () => {
    const pet = await pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, STAMP);
    for (const changes of [{ categoryId: 2n }, { name: "Max" }, { categoryId: 3n, name: "Tom" }]) {
      const { name, categoryId } = (await pets.update(pet.id, changes, STAMP)) ?? assert.fail();
      const row = await db.first("SELECT text FROM pet_texts WHERE pet_id = $1", [pet.id]);
      assert.equal(row?.text, searchTextOf({ name, categoryId }));
    }
    await pets.delete(pet.id, STAMP);
  });

  await t.test("are deleted with their animals", async () => {
    const { id } = await pets.create({ name: "Gone", categoryId: 1n, status: "sold" }, STAMP);
    await pets.delete(id, STAMP);
    assert.equal(await db.first("SELECT pet_id FROM pet_texts WHERE pet_id = $1", [id]), undefined);
  });

  if (db.engine === "postgres")
    await t.test(
      "of changes by a node with an older release are added by the next node that starts",
      async () => {
        const { id } = await pets.create({ name: "Before", categoryId: 1n, status: "sold" }, STAMP);
        await db.transaction((tx) => tx.run("UPDATE pets SET name = 'Afterwards' WHERE id = $1", [id]));
        await insertOld(db, "Newcomer");
        await db.transaction((tx) => recordChanges(tx, [changeOf(id), changeOf(id + 1n)]), { inOrder: true });
        assert.deepEqual(await find(db, "before"), []);
        const statements: string[] = [];
        await createTextStore(watch(db, statements)).index();
        assert.deepEqual(await find(db, "afterwards"), [id]);
        assert.deepEqual(await find(db, "newcomer"), [id + 1n]);
        assert.ok(statements.some((sql) => sql.includes("FROM history")));
        assert.ok(!statements.some((sql) => sql.includes("WHERE id >")), "not all animals are read");
      },
    );

  if (db.engine === "postgres") {
    const texts = createTextStore(db);
    const indexAll = async () => {
      while ((await texts.index()) > 0);
    };
    const addWaiting = (count: number) =>
      db.transaction((tx) =>
        tx.run(`INSERT INTO pet_texts (pet_id, text, is_waiting)
          SELECT 1000000 + i, 'none', 1 FROM generate_series(1, ${count}) AS i`),
      );
    const deleteWaiting = () =>
      db.transaction((tx) => tx.run("DELETE FROM pet_texts WHERE pet_id > 1000000"));

    await t.test("of many animals wait for the index, which gets them in steps", async () => {
      await indexAll();
      assert.equal(await countWaiting(db), 0);
      const names = Array.from({ length: 1_200 }, (_, i) => `Waiting ${i}`);
      const last = (await addMany(db, names)).at(-1);
      assert.equal(await countWaiting(db), 1_200);
      assert.deepEqual(await find(db, "1199"), [last]);
      const left: number[] = [];
      while ((await texts.index()) > 0) left.push(await countWaiting(db));
      assert.deepEqual(left, [700, 200, 0]);
      assert.deepEqual(await find(db, "1199"), [last]);
      const changed = [{ id: last ?? 0n, text: "QQchanged" }];
      await db.transaction((tx) => putTexts(tx, changed));
      assert.equal(await countWaiting(db), 1);
      await createTextStore(db).index();
      assert.equal(await countWaiting(db), 0);
      await pets.create({ name: "Alone", categoryId: 1n, status: "sold" }, STAMP);
      assert.equal(await countWaiting(db), 0, "a single text does not wait");
    });

    await t.test("are indexed in smaller steps if they are long, by one node at a time", async () => {
      const ids = await addMany(db, ["One", "Two", "Three", "Four", "Five"]);
      const lengths = [60_000, 60_000, 60_000, 300_000, 2];
      const long = ids.map((id, i) => ({ id, text: "x ".repeat((lengths[i] ?? 0) / 2) }));
      await db.transaction((tx) => putTexts(tx, long));
      const texts = createTextStore(db);
      // As another node does while it is at work.
      await db.snapshot(async (other) => {
        await other.first(`SELECT pg_advisory_xact_lock(${INDEX_LOCK})::text`);
        assert.equal(await texts.index(), 0);
      });
      assert.equal(await countWaiting(db), 5);
      const left: number[] = [];
      while ((await createTextStore(db).index()) > 0) left.push(await countWaiting(db));
      assert.deepEqual(left, [3, 1, 0]);
    });

    await t.test("are indexed without waiting for one that is being changed", async () => {
      const [first] = await addMany(db, ["One more", "Another"]);
      await db.transaction(async (tx) => {
        await tx.lock("SELECT pet_id FROM pet_texts WHERE pet_id = $1", [first ?? 0n]);
        await createTextStore(db).index();
      });
      assert.equal(await countWaiting(db), 1);
      await createTextStore(db).index();
      assert.equal(await countWaiting(db), 0);
    });

    await t.test("are not read all because the statistics tell of many that waited", async () => {
      // So many that reading and sorting all of them is the worse plan; and the statistics stay as they are.
      await db.transaction((tx) => tx.run("ALTER TABLE pet_texts SET (autovacuum_enabled = false)"));
      await addWaiting(20_001);
      await db.transaction((tx) => tx.run("ANALYZE pet_texts"));
      await deleteWaiting();
      const plans: string[] = [];
      const explain = (sql: string, values?: SqlValue[]) =>
        sql.includes("UNION ALL") ? db.all(`EXPLAIN ${sql}`, values) : [];
      const first: Database["first"] = async (sql, values) => {
        for (const row of await explain(sql, values)) plans.push(String(row["QUERY PLAN"]));
        return db.first(sql, values);
      };
      await find({ ...db, first }, "waiting 1198");
      assert.ok(
        plans.some((line) => line.includes("using pet_texts_waiting")),
        plans.join("\n"),
      );
    });

    await t.test("are found by reading the list while very many wait", async () => {
      const readsIndex = async () => {
        const statements: string[] = [];
        const found = await find(watch(db, statements), "waiting 1198");
        assert.equal(found.length, 1);
        return statements.some((sql) => sql.includes("UNION ALL"));
      };
      await addWaiting(20_001);
      assert.equal(await readsIndex(), false);
      await db.transaction((tx) => tx.run("DELETE FROM pet_texts WHERE pet_id = 1000001"));
      assert.equal(await readsIndex(), true);
      await deleteWaiting();
    });
  }

  await t.test("are found page by page when the time for a search is short", async () => {
    const search = createSearch(db, 0);
    const found: bigint[] = [];
    for (let after: bigint | undefined = 0n; after !== undefined; ) {
      const page = await search(["luna"], LIST, { limit: 30, after });
      found.push(...page.ids);
      after = page.nextAfter;
    }
    assert.equal(new Set(found).size, 1_100);
    assert.equal(found.length, 1_100);
    if (db.engine === "sqlite") return;
    await db.transaction((tx) => tx.run("DROP INDEX pet_texts_by_trigram"));
    const first = await createSearch(db, 0)(["xylophone"], LIST, { limit: 2, after: 0n });
    assert.deepEqual(
      first,
      { ids: [], nextAfter: 12n },
      "the next page begins behind the last animal examined",
    );
  });
});

testOnEngines("The index of texts", async (t, db) => {
  if (db.engine !== "sqlite") return;
  const through = async () => (await db.first("SELECT indexed_through FROM store"))?.indexed_through;
  const index = createIndexer(db);
  const indexAll = async () => {
    let steps = 1;
    while (await index()) steps += 1;
    return steps;
  };

  await t.test("waits until there are enough new texts", async () => {
    await addMany(
      db,
      Array.from({ length: 63 }, (_, i) => `Rex ${i}`),
    );
    await indexAll();
    assert.equal(await through(), 0n);
    await addMany(db, ["Bella"]);
    await indexAll();
    assert.equal(await through(), 64n);
    assert.deepEqual(await find(db, "bella"), [64n]);
  });

  await t.test("is filled in steps of bounded size", async () => {
    await addMany(
      db,
      Array.from({ length: 200 }, (_, i) => `${"Lorem ipsum ".repeat(100)}${i}`),
    );
    await index();
    const first = Number(await through());
    assert.ok(first > 64 && first < 264, String(first));
    await indexAll();
    assert.ok(Number(await through()) > 200, "the others are too few");
    assert.deepEqual(await find(db, "ipsum 199"), [264n]);
    assert.equal((await find(db, "ipsum")).length, 100);
  });

  await t.test("is merged in steps, so that the number of its parts stays small", async () => {
    const parts = "SELECT count(DISTINCT segid) AS parts FROM pet_index_idx";
    for (let i = 0; i < 40; i++) {
      await addMany(
        db,
        Array.from({ length: 64 }, () => `Luna${i}`),
      );
      await indexAll();
    }
    assert.ok(Number((await db.first(parts))?.parts) <= 16);
    assert.equal((await find(db, "luna39")).length, 64);
  });

  await t.test("has changed texts at once", async () => {
    const pets = createPetStore(db);
    await pets.update(1n, { name: "Xanthippe", categoryId: 1n }, STAMP, undefined);
    await db.transaction((tx) => putTexts(tx, [{ id: 2n, text: "QQxerxes" }]));
    const newest = (await addMany(db, ["Xavier"])).at(-1) as bigint;
    await pets.update(newest, { name: "Xylon", categoryId: 1n }, STAMP, undefined);
    const indexed = async (text: string) =>
      (
        await db.all("SELECT -rowid AS id FROM pet_index WHERE pet_index MATCH $1", [
          chooseMatch([[text]], () => 0),
        ])
      ).map(({ id }) => id);
    assert.equal((await indexed("QQrex")).includes(1n), false, "not the old ones");
    assert.deepEqual(await indexed("xanthippe"), [1n]);
    assert.deepEqual(await indexed("xerxes"), [2n]);
    assert.deepEqual(await indexed("xylon"), [], "new texts wait");
    assert.deepEqual(await find(db, "xylon"), [newest]);
  });

  await t.test("leaves animals before the new ones alone when a list begins with the oldest", async () => {
    const asked: Array<[sql: string, values: SqlValue[]]> = [];
    const first: Database["first"] = (sql, values = []) => {
      asked.push([sql, values]);
      return db.first(sql, values);
    };
    assert.deepEqual(await find({ ...db, first }, "absent"), []);
    const [sql, values] = asked.at(-1) ?? ["", []];
    // SQLite uses one of two lower bounds, and would read everything behind it.
    assert.equal(sql.match(/id > /g)?.length, 1, sql);
    assert.equal(values[0], await through());
  });

  await t.test("is left alone without a transaction when there is nothing to do", async () => {
    let transactions = 0;
    const counted: Database = {
      ...db,
      transaction(work, options) {
        transactions += 1;
        return db.transaction(work, options);
      },
    };
    const step = createIndexer(counted);
    while (await step());
    transactions = 0;
    assert.equal(await step(), false);
    assert.equal(transactions, 0);
    // A changed text makes a new part, which may have to be merged.
    const pet = { name: "Renamed", categoryId: 1n };
    await createPetStore(db).update(1n, pet, STAMP, undefined);
    await step();
    assert.equal(transactions, 1);
  });
});
