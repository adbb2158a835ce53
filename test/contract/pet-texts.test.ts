// The texts of animals and the searches in them: older animals, older nodes, common words, and searches that end early.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Pet } from "../../src/domain/animals/pet.ts";
import { categoryNeedle, petNeedle, readWords, searchTextsOf } from "../../src/domain/animals/search-text.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/domain/basics/durations.ts";
import { INT64_MIN } from "../../src/domain/basics/int64.ts";
import type { Database, SqlValue } from "../../src/storage/database.ts";
import { migrate, SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { addMissingTexts, createTextStore, refreshTexts } from "../../src/storage/search/pet-texts.ts";
import { createSearch } from "../../src/storage/search/search.ts";
import type { SearchedList } from "../../src/storage/search/text-index.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { openEmptyStore, testOnEmptyEngines, testOnEngines } from "./engines.ts";

const ORIGIN = { atMs: 1 };
const BEFORE_SEARCH = 9;
const RELEASE_1_1 = 14;
const LIST: SearchedList = {
  sort: "oldest",
  start: 0n,
  selectIds: (after, limit) => `SELECT id FROM pets WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
  matches: [],
  values: [],
};

async function find(db: Database, q: string, options = {}): Promise<bigint[]> {
  const page = { limit: 100, after: undefined };
  return (await createSearch(db, options).find(readWords(q), LIST, page)).ids;
}

async function findPages(db: Database, q: string, limit: number, options: object): Promise<bigint[]> {
  const search = createSearch(db, options);
  const found: bigint[] = [];
  let after: bigint | undefined;
  do {
    const page = await search.find(readWords(q), LIST, { limit, after });
    found.push(...page.ids);
    after = page.nextAfter;
  } while (after !== undefined);
  return found;
}

/** As release 1.0.0 does. */
async function insertOld(db: Database, name: string): Promise<void> {
  const sql = "INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'available')";
  await db.transaction((tx) => tx.run(sql, [name]), { inOrder: true });
}

/** As release 1.1.0 does. */
async function putOldText(db: Database, id: bigint, text: string): Promise<void> {
  const sql = `INSERT INTO pet_texts (pet_id, text) VALUES ($1, $2)
    ON CONFLICT (pet_id) DO UPDATE SET text = excluded.text`;
  await db.transaction((tx) => tx.run(sql, [id, text]));
}

function addMany(db: Database, names: string[]): Promise<bigint[]> {
  const pets = names.map((name) => ({ name, categoryId: 1n, status: "available" as const }));
  return db.transaction((tx) => addPets(tx, pets, ORIGIN), { inOrder: true });
}

const readText = (db: Database, id: bigint) =>
  db.first("SELECT text, name FROM pet_texts WHERE pet_id = $1", [id]);

testOnEmptyEngines("The migration to the search", async (t, db) => {
  await migrate(db, 0, BEFORE_SEARCH);
  for (const name of ["Réx", "Bella", "Rex"]) await insertOld(db, name);
  await db.transaction((tx) => tx.run("DELETE FROM pets WHERE name = 'Rex'"));
  await migrate(db, 0);

  await t.test("adds the texts of all animals", async () => {
    assert.deepEqual(await find(db, "rex"), [1n]);
    assert.deepEqual(await find(db, "be"), [2n]);
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

testOnEmptyEngines("The migration from release 1.1.0", async (t, db) => {
  await migrate(db, 0, RELEASE_1_1);
  for (let id = 1n; id <= 1_100n; id++) {
    await insertOld(db, `Luna ${id}`);
    await putOldText(db, id, `QQluna ${id}\nXBX`);
  }
  const lines: string[] = [];
  await migrate(db, 0, SCHEMA_VERSION, { write: (line) => lines.push(line), span: 500n });

  await t.test("writes the texts of all animals again, in several steps", async () => {
    const old = await db.first("SELECT count(*) AS texts FROM pet_texts WHERE name IS NULL");
    assert.equal(old?.texts, 0n);
    assert.deepEqual(await find(db, "luna 10"), [10n, ...range(100n, 109n), ...range(1_000n, 1_088n)]);
  });

  await t.test("shows how far it is", () => {
    const indexes = ["search index", "index of shelters"].map(
      (index) => `${index}: creating it, changes of animals wait until it is complete`,
    );
    const texts = ["0", "500", "1,000", "1,100"].map((done) => `search texts: ${done} of 1,100 animals`);
    assert.deepEqual(lines, db.engine === "postgres" ? [...texts, ...indexes] : texts);
  });

  if (db.engine === "postgres")
    await t.test("replaces the index", async () => {
      const row = await db.first("SELECT pg_get_indexdef('pet_texts_by_trigram'::regclass) AS definition");
      assert.match(String(row?.definition), /text .*gin_trgm_ops, name .*gin_trgm_ops/);
    });

  if (db.engine === "postgres")
    await t.test("finds missing texts without reading all texts in every step", async () => {
      const asked: Array<[sql: string, values: SqlValue[]]> = [];
      const first: Database["first"] = (sql, values = []) => {
        if (sql.includes("pet_texts")) asked.push([sql, values]);
        return db.first(sql, values);
      };
      await addMissingTexts({ ...db, first });
      const [[sql, values] = assert.fail()] = asked;
      const plan = await db.all(`EXPLAIN ${sql}`, values);
      assert.doesNotMatch(JSON.stringify(plan), /Join|Seq Scan on pet_texts/);
    });
});

function range(first: bigint, last: bigint): bigint[] {
  return Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i));
}

testOnEngines("Texts of animals", async (t, db) => {
  const pets = createPetStore(db);

  await t.test("follow every change of a name or a category", async () => {
    const pet = await pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, ORIGIN);
    for (const changes of [{}, { categoryId: 2n }, { name: "Max" }, { categoryId: 3n, name: "Tom" }]) {
      const { id, name, categoryId } = (await pets.update(pet.id, changes, ORIGIN)) ?? assert.fail();
      const texts = searchTextsOf({ name, categoryId });
      const expected = { text: `${texts.text}${petNeedle(id)}`, name: texts.name };
      assert.deepEqual({ ...(await readText(db, id)) }, expected);
    }
    assert.deepEqual(await find(db, "rex"), []);
    assert.deepEqual(await find(db, "tom"), [pet.id]);
    await pets.delete(pet.id, ORIGIN);
    assert.equal(await readText(db, pet.id), undefined);
    assert.deepEqual(await find(db, "tom"), []);
  });

  await t.test("texts match the last state when several transactions commit together", async () => {
    const add = (name: string) => pets.create({ name, categoryId: 1n, status: "sold" }, ORIGIN);
    const [one, two, three] = await Promise.all([add("Group one"), add("Group two"), add("Group three")]);
    const failed = db.transaction(
      async (tx) => {
        await tx.run("UPDATE pets SET name = 'Broken' WHERE id = $1", [three.id]);
        await refreshTexts(tx, three.id);
        throw new Error("planned");
      },
      { inOrder: true },
    );
    const outcomes = await Promise.allSettled([
      failed,
      pets.update(one.id, { name: "Group four" }, ORIGIN),
      pets.update(one.id, { name: "Group five" }, ORIGIN),
      pets.update(two.id, { name: "Group six" }, ORIGIN),
      pets.delete(two.id, ORIGIN),
      add("Group seven"),
    ]);
    assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 1);
    const seven = (outcomes[5] as PromiseFulfilledResult<Pet>).value;
    assert.deepEqual(await find(db, "group"), [one.id, three.id, seven.id]);
    assert.deepEqual(await find(db, "group five"), [one.id]);
    for (const word of ["two", "four", "six", "broken"]) assert.deepEqual(await find(db, word), [], word);
    assert.equal(await readText(db, two.id), undefined);
    for (const { id } of [one, three, seven]) await pets.delete(id, ORIGIN);
  });

  if (db.engine === "postgres")
    await t.test("the texts of an import give PostgreSQL new statistics and plans", async () => {
      const names = range(1n, 300n).map((i) => createHash("sha512").update(String(i)).digest("hex"));
      const ids = await addMany(db, names);
      const texts = createTextStore(db);
      while ((await texts.maintain(0)) > 0);
      await texts.maintain(0);
      const row = await db.first(
        "SELECT reltuples::bigint AS texts FROM pg_class WHERE relname = 'pet_texts'",
      );
      assert.equal(row?.texts, 300n);
      for (const id of ids) await pets.delete(id, ORIGIN);
    });
});

test("Texts of animals that nodes of older releases change on PostgreSQL", async (t) => {
  const db = await openEmptyStore(t, "PostgreSQL");
  const pets = createPetStore(db);

  await t.test("the next node that starts writes the texts", async () => {
    const [renamed, described, older] = [
      (await pets.create({ name: "Before", categoryId: 1n, status: "sold" }, ORIGIN)).id,
      (await pets.create({ name: "Described", categoryId: 1n, status: "sold" }, ORIGIN)).id,
      (await pets.create({ name: "Renamed by 1.0", categoryId: 1n, status: "sold" }, ORIGIN)).id,
    ];
    await db.transaction((tx) => tx.run("UPDATE pets SET name = 'Afterwards' WHERE id = $1", [renamed]));
    await putOldText(db, renamed, "QQafterwards\nXBX");
    const profile = JSON.stringify({ description: "gentle" });
    await db.transaction((tx) => tx.run("UPDATE pets SET profile = $1 WHERE id = $2", [profile, described]));
    await putOldText(db, described, "QQdescribed\nXBX\ngentle");
    await db.transaction((tx) => tx.run("UPDATE pets SET name = 'Older' WHERE id = $1", [older]));
    await insertOld(db, "Newcomer");
    assert.deepEqual(await find(db, "afterwards"), [renamed], "a word is found in the old text too");
    assert.deepEqual(await find(db, "af"), []);
    const texts = createTextStore(db);
    while ((await texts.maintain(0)) > 0);
    assert.deepEqual(await find(db, "af"), [renamed]);
    assert.deepEqual(await find(db, "de gentle"), [described]);
    assert.deepEqual(await find(db, "old"), [older]);
    assert.deepEqual(await find(db, "ne"), [older + 1n]);
  });

  await t.test(
    "the texts are written again later if a node of release 1.1.0 writes until it is stopped",
    async () => {
      const { id } = await pets.create({ name: "Late", categoryId: 1n, status: "sold" }, ORIGIN);
      const texts = createTextStore(db);
      while ((await texts.maintain(0)) > 0);
      for (const laterMs of [5 * MINUTE_MS, HOUR_MS]) {
        await db.transaction((tx) =>
          tx.run("UPDATE pets SET name = $1 WHERE id = $2", [`Late ${laterMs}`, id]),
        );
        await putOldText(db, id, "QQlate\nXBX");
        while ((await texts.maintain(laterMs - 1)) > 0);
        assert.deepEqual(await find(db, "la"), []);
        while ((await texts.maintain(laterMs)) > 0);
        assert.deepEqual(await find(db, "la"), [id]);
      }
    },
  );
});

testOnEngines("A search", async (t, db) => {
  const listings = createListingStore(db);
  const names = Array.from({ length: 400 }, (_, i) => (i % 40 === 0 ? `Luna ${i}` : `Rex ${i}`));
  const ids = await addMany(db, names);
  const described = ids.filter((_, i) => i % 10 === 5);
  for (const id of described) await listings.updateProfile(id, { description: "Lunatic" }, ORIGIN);
  const named = ids.filter((_, i) => i % 40 === 0);
  const expected = [...named, ...described];

  const ways: Record<string, object> = {
    "by the index": {},
    "in the list, with the names by the index": { fewMax: 20 },
    "in the list": { fewMax: 5 },
    "in the list, in many short searches": { fewMax: 5, searchMs: 0 },
  };
  for (const [way, options] of Object.entries(ways))
    await t.test(`finds names first, page by page, ${way}`, async () => {
      for (const limit of [1, 7, 10, 100])
        assert.deepEqual(await findPages(db, "luna", limit, options), expected);
      const search = createSearch(db, { ...options, searchMs: 500 });
      assert.deepEqual(await search.count(["luna"], LIST, 50), { count: 50, isExact: true });
      assert.deepEqual(await search.count(["luna"], LIST, 49), { count: 49, isExact: false });
    });

  await t.test("skips and repeats no animal that does not change while others are renamed", async () => {
    const pets = createPetStore(db);
    for (const options of Object.values(ways)) {
      const search = createSearch(db, options);
      const [toName, toOther] = [described[20], named[8]] as [bigint, bigint];
      const found: bigint[] = [];
      let after: bigint | undefined;
      for (let page = 0; page === 0 || after !== undefined; page++) {
        const next = await search.find(["luna"], LIST, { limit: 4, after });
        found.push(...next.ids);
        after = next.nextAfter;
        if (page === 1) await pets.update(toName, { name: "Luna of late" }, ORIGIN);
        if (page === 1) await pets.update(toOther, { name: "Rex of late" }, ORIGIN);
      }
      const unchanged = expected.filter((id) => id !== toName && id !== toOther);
      assert.deepEqual(
        found.filter((id) => id !== toName && id !== toOther),
        unchanged,
      );
      await pets.update(toName, { name: "Rex" }, ORIGIN);
      await pets.update(toOther, { name: "Luna" }, ORIGIN);
    }
  });

  await t.test("accepts the lowest position of a forged cursor", async () => {
    for (const options of Object.values(ways)) {
      const search = createSearch(db, { ...options, searchMs: 500 });
      for (const sort of ["oldest", "newest"] as const)
        for (const q of ["luna", "rex", "&"])
          await search.find([q], { ...LIST, sort }, { limit: 2, after: INT64_MIN });
    }
  });

  await t.test("asks the index about a common word once, and not about a rare one's list", async () => {
    const asked: string[] = [];
    const note = (sql: string) => void asked.push(sql);
    const search = createSearch(watch(db, note), { fewMax: 5 });
    const page = { limit: 3, after: undefined };
    const readsList = () => asked.splice(0).filter((sql) => sql.includes("FROM (SELECT id FROM pets")).length;
    const asksIndex = () => asked.filter((sql) => /MATCH|LIMIT 6/.test(sql)).length;
    await search.find(["luna"], LIST, page);
    assert.ok(asksIndex() > 0);
    assert.ok(readsList() > 0);
    await search.find(["luna"], LIST, page);
    assert.equal(asksIndex(), 0);
    assert.ok(readsList() > 0);
    await createCategoryStore(db).put({ id: 7n, name: "Lunatics" }, ORIGIN);
    await search.find(["luna"], LIST, page);
    assert.equal(asksIndex(), 0, "also if the word is now in the name of another category");
    readsList();
    await search.find(["absent"], LIST, page);
    assert.equal(readsList(), 0);
  });

  if (db.engine === "postgres")
    await t.test("reads the list without the index, and ends in time", async () => {
      await db.transaction((tx) => tx.run("DROP INDEX pet_texts_by_trigram"));
      const first = await createSearch(db, { searchMs: 0 }).find(["xylophone"], LIST, {
        limit: 2,
        after: undefined,
      });
      assert.deepEqual(
        first,
        { ids: [], nextAfter: 12n },
        "the next page begins after the last animal examined",
      );
      assert.deepEqual(await findPages(db, "luna", 7, { searchMs: 0 }), expected);
    });
});

testOnEngines("A search asks the index only about the rarest part of all words", async (_t, db) => {
  const asked: SqlValue[] = [];
  const note = (sql: string, values: SqlValue[]) => sql.includes("signed_ids") && asked.push(...values);
  const search = createSearch(watch(db, note));
  const names = [...Array<string>(20).fill("Friendly"), "Friendly Xylophone"];
  const ids = await addMany(db, names);
  const found = await search.find(["friendly", "xylophone"], LIST, { limit: 3, after: undefined });
  assert.deepEqual(found.ids, ids.slice(-1));
  const trigrams = asked.flatMap((value) => String(value).match(/(?<=^%)...(?=%$)|(?<=")...(?=")/g) ?? []);
  assert.ok(trigrams.length > 0);
  assert.ok(
    trigrams.every((trigram) => "xylophone".includes(trigram)),
    trigrams.join(),
  );
});

testOnEngines("A word in the names of many categories", async (t, db) => {
  const MANY = 1_000;
  const kinds = Array.from({ length: MANY }, (_, i) => ({ id: BigInt(i - 10), name: `Breed b${i}` }));
  await db.transaction(async (tx) => {
    for (const { id, name } of [...kinds, { id: 5_000n, name: "Other" }])
      await tx.run("INSERT INTO categories (id, name) VALUES ($1, $2)", [id, name]);
  });
  const pets = Array.from({ length: 1_300 }, (_, i) => ({
    name: i % 100 === 50 ? "Breeder" : `Rex ${i}`,
    categoryId: i % 10 === 9 ? 5_000n : (kinds[i % MANY]?.id ?? 0n),
    status: "available" as const,
  }));
  const ids = await db.transaction((tx) => addPets(tx, pets, ORIGIN), { inOrder: true });
  const idsWith = (has: (pet: { name: string; category: string }) => boolean): bigint[] =>
    ids.filter((_, i) => {
      const { name = "", categoryId = 0n } = pets[i] ?? {};
      return has({ name, category: kinds[Number(categoryId) + 10]?.name ?? "Other" });
    });
  const named = idsWith(({ name }) => name === "Breeder");
  const expected: Record<string, bigint[]> = {
    breed: [...named, ...idsWith(({ name, category }) => name !== "Breeder" && category !== "Other")],
    "breed rex": idsWith(({ name, category }) => name !== "Breeder" && category !== "Other"),
    "breed b77": idsWith(({ category }) => category.includes("b77")),
    "breed b777": idsWith(({ category }) => category.includes("b777")),
  };

  for (const [way, options] of Object.entries({
    "by the index": { fewMax: 2_000 },
    "in the list": { fewMax: 1 },
  }))
    await t.test(`finds their animals, ${way}`, async () => {
      for (const [q, found] of Object.entries(expected))
        assert.deepEqual(await findPages(db, q, 100, options), found, q);
      const pages = await Promise.all([1, 2, 3].map(() => findPages(db, "breed", 1_000, options)));
      for (const found of pages) assert.deepEqual(found, expected.breed, "by callers of the same moment");
    });

  await t.test("is not looked for once per category, neither in texts nor in the index", async () => {
    const asked: string[] = [];
    const search = createSearch(
      watch(db, (sql, values) => void asked.push(sql, ...values.map(String))),
      { fewMax: 1 },
    );
    await search.find(["breed", "rex"], LIST, { limit: 2_000, after: undefined });
    assert.ok(asked.some((text) => text.includes("pet_texts")));
    for (const { id } of kinds)
      assert.ok(!asked.some((text) => text.includes(categoryNeedle(id))), String(id));
  });
});

/** The database, which notes the statements that read. */
function watch(db: Database, note: (sql: string, values: SqlValue[]) => void): Database {
  const noted =
    (ask: Database["named"]) =>
    (sql: string, values: SqlValue[] = []) => {
      note(sql, values);
      return ask(sql, values);
    };
  return { ...db, first: noted(db.first), named: noted(db.named) };
}
