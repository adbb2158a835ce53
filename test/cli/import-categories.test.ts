// `import` with categories by name: existing ones are found, missing ones are created once, and nothing is guessed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { createCategoryNames } from "../../src/transfer/import/category-names.ts";
import { createCategories } from "../../src/transfer/import/create-categories.ts";
import type { Row } from "../../src/transfer/import/read-row.ts";
import { makeStore, type TestStore, testOnStores, writeNext } from "./stores.ts";

const CREATE = "--create-categories";
async function name({ db }: TestStore, categories: Record<string, string>): Promise<void> {
  const store = createCategoryStore(db);
  for (const [id, each] of Object.entries(categories))
    await store.put({ id: BigInt(id), name: each }, { atMs: 0 });
}

async function listCategories({ db }: TestStore): Promise<string[]> {
  const rows = await db.all("SELECT id, name FROM categories ORDER BY id");
  return rows.map((row) => `${row.id} ${row.name}`);
}

async function listPets({ db }: TestStore): Promise<string[]> {
  const rows = await db.all("SELECT name, category_id FROM pets ORDER BY id");
  return rows.map((row) => `${row.name} ${row.category_id}`);
}

/** As if the import of the newest animals was killed after that many rows. */
async function interruptImport({ db }: TestStore, rowsDone: number): Promise<void> {
  const sql =
    "UPDATE imports SET rows_done = $1, finished_at_ms = NULL, imported = NULL WHERE last_id = (SELECT max(id) FROM pets)";
  await db.transaction((tx) => tx.run(sql, [rowsDone]));
}

async function problemsOf(store: TestStore, text: string, ...flags: string[]): Promise<string[]> {
  const { stdout } = await store.command("import", writeNext(store, text), "--dry-run", "--json", ...flags);
  const { problems } = JSON.parse(stdout);
  return problems.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`);
}

testOnStores("import by category name", async (t, store) => {
  await name(store, { 3: "Dogs", 7: "Ka\u0308tzchen" });

  await t.test("finds names in any case, trimmed, and with accents in either form", async () => {
    const csv = "name,Kind\nRex, DOGS \nMia,kätzchen\n";
    const found = await store.command("import", writeNext(store, csv), "--map", "categoryName=kind");
    assert.equal(found.code, 0, found.stderr);
    const ndjson = '{"name":"Tom","categoryName":"dogs"}\n{"name":"Ida","categoryId":9}\n';
    assert.equal((await store.command("import", writeNext(store, ndjson))).code, 0);
    assert.deepEqual(await listPets(store), ["Rex 3", "Mia 7", "Tom 3", "Ida 9"]);
  });

  await t.test(
    "creates missing categories once, with the next free ids, after --dry-run named them",
    async () => {
      const file = writeNext(
        store,
        "name,categoryId,categoryName\nA,,Birds\nB,12,\nC,,birds \nD,,Fish\nE,,Dogs\n",
      );
      const dry = await store.command("import", file, CREATE, "--dry-run");
      assert.match(
        dry.stdout,
        /^5 rows, 5 of them good\. Nothing was written\. .*: 5 animals added, .*\nCategories to create: "Birds", "Fish"\.\n/,
      );
      assert.deepEqual(await listCategories(store), ["3 Dogs", "7 Ka\u0308tzchen"]);
      const result = await store.command("import", file, CREATE);
      assert.match(result.stdout, /\nCreated categories: 13 "Birds", 14 "Fish"\.\n/, result.stderr);
      const created = ["3 Dogs", "7 Ka\u0308tzchen", "13 Birds", "14 Fish"];
      assert.deepEqual(await listCategories(store), created);
      assert.deepEqual((await listPets(store)).slice(4), ["A 13", "B 12", "C 13", "D 14", "E 3"]);

      await interruptImport(store, 3);
      const continued = await store.command("import", file, CREATE, "--json");
      const { added, unchanged } = JSON.parse(continued.stdout);
      assert.deepEqual([added, unchanged], [2, 3]);
      await store.command("import", file, CREATE, "--again");
      assert.deepEqual(await listCategories(store), created);
      assert.deepEqual((await listPets(store)).slice(9), [
        "D 14",
        "E 3",
        "A 13",
        "B 12",
        "C 13",
        "D 14",
        "E 3",
      ]);
    },
  );

  await t.test("gives a new category no id that animals have without a name", async () => {
    const pet = { name: "Old", status: "sold" as const };
    const pets = [5_000n, 9_223_372_036_854_775_807n].map((categoryId) => ({ ...pet, categoryId }));
    await store.db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), { inOrder: true });
    await store.command("import", writeNext(store, "name,categoryName\nA,Snakes\n"), CREATE);
    assert.equal((await listCategories(store)).at(-1), "5001 Snakes");
  });
});

test("import by category name", async (t) => {
  const store = await makeStore(t);
  await name(store, { 3: "Dogs", 4: "Cats", 5: "cats" });

  await t.test("lists unknown and ambiguous names, with close names and what to do", async () => {
    const advice = "Correct the name, or set createCategories (--create-categories)";
    const problems = await problemsOf(store, "name,categoryName\nA,Dgos\nB,Fish\nC,CATS\nD,\n,Dogs\n");
    assert.deepEqual(problems, [
      `2 there is no category "Dgos", but there is "Dogs". ${advice}`,
      `3 there is no category "Fish". ${advice}`,
      '4 several categories have the name "CATS": 4, 5. Give the categoryId',
      "5 a category is required: give a column categoryId or categoryName, or set categoryId (--category)",
      "6 name is required",
    ]);
  });

  await t.test("rejects a name that is no valid name of a category", async () => {
    const [problem = ""] = await problemsOf(store, `name,categoryName\nA,${"x".repeat(101)}\n`, CREATE);
    assert.match(problem, /^2 categoryName must be 1 to 100 characters/);
  });

  await t.test("rejects a row whose categoryId and categoryName contradict each other", async () => {
    const rows = "A,3,Cats\nB,8,Dogs\nC,4,CATS\nD,8,Fish\nE,8,Birds\nF,9,fish\n";
    assert.deepEqual(await problemsOf(store, `name,categoryId,categoryName\n${rows}`, CREATE), [
      '2 categoryId 3 is the category "Dogs", but categoryName is "Cats"',
      '3 categoryName "Dogs" is the category 3, but categoryId is 8',
      '6 categoryId 8 is the category "Fish", but categoryName is "Birds"',
      '7 categoryName "fish" is the category 8, but categoryId is 9',
    ]);
  });

  await t.test(
    "names a category by its categoryId with --create-categories, and otherwise says so",
    async () => {
      const file = writeNext(store, "name,categoryId,categoryName\nA,20,Mice\nB,3,dogs\nC,21,\n");
      const result = await store.command("import", file);
      assert.match(
        result.stdout,
        /\nCategory names that the store does not have: "Mice"\. --create-categories adds them\.\n/,
      );
      await store.command("import", file, CREATE, "--again");
      assert.equal((await listCategories(store)).at(-1), "20 Mice");
      assert.deepEqual(await listPets(store), ["A 20", "B 3", "C 21", "A 20", "B 3", "C 21"]);
    },
  );

  await t.test("creates no category for a row that is skipped", async () => {
    const file = writeNext(store, "name,categoryName\n,Owls\nA,Dogs\n");
    assert.equal((await store.command("import", file, CREATE, "--skip-bad")).code, 0);
    assert.equal((await listCategories(store)).at(-1), "20 Mice");
  });

  await t.test("refuses to create more than 1,000 categories", async () => {
    const rows = Array.from({ length: 1_001 }, (_, i) => `A,Kind ${i}\n`);
    const result = await store.command(
      "import",
      writeNext(store, `name,categoryName\n${rows.join("")}`),
      CREATE,
    );
    assert.equal(result.code, 1);
    assert.match(
      result.stderr,
      /more than 1000 new category names, such as "Kind 1000"\. Check which column/,
    );
    assert.equal((await listCategories(store)).length, 4);
  });
});

testOnStores("categories that change between the check and the import", async (t, store) => {
  /** Checks one row against the empty store, then adds other categories before its own are created. */
  async function create(row: { categoryId?: bigint; categoryName: string }, others: Record<string, string>) {
    const options = { create: true, fallbackId: undefined, heading: undefined };
    const names = createCategoryNames([], options);
    const { categoryId, categoryName } = row;
    const read = (): Row => ({
      line: 2,
      fields: [],
      pet: categoryId === undefined ? {} : { categoryId },
      categoryName,
      photos: [],
      problems: [],
    });
    const checked = read();
    names.resolve(checked, true);
    names.keep(1, checked);
    await name(store, others);
    const created = await createCategories(store.db, names, { atMs: 0 });
    const resolved = read();
    names.resolve(resolved, false);
    return { created, categoryId: resolved.pet.categoryId };
  }

  await t.test("are used instead of a second one with the same name", async () => {
    const found = await create({ categoryName: "Dogs" }, { 3: "dogs" });
    assert.deepEqual(found, { created: [], categoryId: 3n });
    assert.deepEqual((await create({ categoryId: 3n, categoryName: "Dogs" }, {})).created, []);
  });

  await t.test("stop the import if they contradict the file", async () => {
    const says = /The categories were changed while the file was checked\. Nothing was imported; import/;
    await assert.rejects(create({ categoryId: 4n, categoryName: "Cats" }, { 4: "Birds" }), says);
    await assert.rejects(create({ categoryId: 9n, categoryName: "Dogs" }, {}), says);
    await assert.rejects(create({ categoryName: "Dogs" }, { 5: "DOGS" }), says);
    assert.deepEqual(await listCategories(store), ["3 dogs", "4 Birds", "5 DOGS"]);
  });
});
