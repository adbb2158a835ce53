// The importer of animals: the whole file is checked first, every row is written once, and other work goes on.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ImportReport, ImportRequest } from "../../src/domain/animals/animal-import.ts";
import { systemClock } from "../../src/domain/basics/clock.ts";
import { ServiceError } from "../../src/domain/basics/errors.ts";
import type { Database } from "../../src/storage/database.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createAnimalImporter, importAnimals } from "../../src/transfer/import/importer.ts";
import { PhotoFileError } from "../../src/transfer/import/photo-folder.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { requestFor, SETTINGS } from "../unit/transfer/rows.ts";
import { testOnEngines } from "./engines.ts";

const KEY_ID = 7n;
const HEAD = "name,categoryId,externalId\n";
/** Several batches of the service. */
const ROWS = 1_000;

function makeScene(t: TestContext, db: Database) {
  const folder = makeFolder(t);
  const versions: number[] = [];
  const changed = async (version: number) => void versions.push(version);
  const importAnimals = createAnimalImporter(db, { clock: systemClock, changed });
  const origin = { atMs: 0, keyId: KEY_ID };
  let files = 0;
  const write = (text: string, ending = "csv") => {
    files += 1;
    const path = join(folder, `${files}.${ending}`);
    writeFileSync(path, text);
    return path;
  };
  const run = (path: string, changes: Partial<ImportRequest> = {}) =>
    importAnimals(requestFor(path, { origin, ...changes }));
  const count = async () => Number((await db.first("SELECT count(*) AS n FROM pets"))?.n);
  return { versions, write, run, count };
}

const countsOf = ({ rows, added, updated, unchanged, bad }: ImportReport) => ({
  rows,
  added,
  updated,
  unchanged,
  bad,
});
const rowsOf = (length: number, prefix = "") =>
  Array.from({ length }, (_, i) => `Pet ${i},1,${prefix === "" ? "" : `${prefix}${i}`}\n`).join("");

testOnEngines("The importer writes a file in batches", async (t, db) => {
  const { versions, write, run, count } = makeScene(t, db);

  await t.test(
    "An aborted import ends after the current batch, and continues when the file is sent again",
    async () => {
      const before = await count();
      const path = write(HEAD + rowsOf(ROWS));
      const abort = new AbortController();
      const progress: number[] = [];
      const onProgress = (rows: number) => {
        progress.push(rows);
        if (rows > 0) abort.abort(new Error("the client has left"));
      };
      await assert.rejects(run(path, { signal: abort.signal, onProgress }), /the client has left/);
      const done = (await count()) - before;
      assert.deepEqual(progress, [0, done]);
      assert.ok(done > 0 && done < ROWS, `${done} rows`);
      const rest = await run(path);
      assert.deepEqual(countsOf(rest), {
        rows: ROWS,
        added: ROWS - done,
        updated: 0,
        unchanged: done,
        bad: 0,
      });
      assert.equal((await count()) - before, ROWS);
    },
  );

  await t.test("An import that is aborted during the check writes nothing", async () => {
    const before = await count();
    const path = write(HEAD + rowsOf(ROWS, "never-"));
    await assert.rejects(run(path, { signal: AbortSignal.abort(new Error("gone")) }), /gone/);
    assert.equal(await count(), before);
  });

  await t.test("An aborted import does not wait for a database that is unavailable", async (t) => {
    const abort = new AbortController();
    t.mock.method(db, "transaction", async () => {
      abort.abort(new Error("gone"));
      throw new ServiceError("unavailable");
    });
    const path = write(HEAD + rowsOf(1, "unavailable-"));
    await assert.rejects(run(path, { signal: abort.signal }), /gone/);
  });

  await t.test("Each batch is reported when it is durable", async () => {
    const progress: number[] = [];
    versions.length = 0;
    await run(write(HEAD + rowsOf(ROWS, "batch-")), { onProgress: (rows) => progress.push(rows) });
    assert.equal(progress[0], 0);
    assert.equal(progress.at(-1), ROWS);
    assert.equal(versions.length, progress.length - 1);
    assert.deepEqual(
      versions,
      [...new Set(versions)].toSorted((one, other) => one - other),
    );
  });
});

testOnEngines("The importer reads a file again", async (t, db) => {
  const { write, run } = makeScene(t, db);

  await t.test("A finished file is read again with other settings", async () => {
    const path = write("externalId,name,categoryId,dob\nOrder,Rex,1,4/1/2023\n");
    const dated = (dateOrder: "dmy" | "mdy") => run(path, { settings: { ...SETTINGS, dateOrder } });
    assert.equal((await dated("dmy")).added, 1);
    assert.deepEqual(countsOf(await dated("mdy")), { rows: 1, added: 0, updated: 1, unchanged: 0, bad: 0 });
  });

  await t.test("A dry run shows the animals as they would be, without writing them", async () => {
    const path = write("externalId,name,species\nOrder,Rexina,\nNew,Mia,cat\n");
    const settings = { ...SETTINGS, createCategories: true };
    const { preview, columns } = await run(path, { settings, isDryRun: true });
    assert.deepEqual(
      preview.map(({ id, name, categoryName, profile }) => [id > 0n, name, categoryName, profile.species]),
      [
        [true, "Rexina", undefined, undefined],
        [false, "Mia", "Cats", "cat"],
      ],
    );
    assert.equal(preview[0]?.profile.bornOn, "2023-04-01", "what the file does not have stays");
    assert.deepEqual(columns.at(-1), {
      heading: "species",
      member: "species",
      readAs: "word for species",
      samples: ["cat"],
    });
    assert.equal((await db.all("SELECT id FROM categories")).length, 0);
  });
});

testOnEngines("Rows that were skipped as bad", async (t, db) => {
  const { write, run, count } = makeScene(t, db);
  const skipBad = { settings: { ...SETTINGS, skipBad: true } };
  await createCategoryStore(db).put({ id: 3n, name: "Hunde" }, { atMs: 1 });

  await t.test("A skipped row is bad again, until it can be imported", async () => {
    const path = write(
      "name,categoryName,externalId\nSkip A,Hunde,skip-a\nSkip B,Vögel,\nSkip C,Hunde,skip-c\n",
    );
    const settings = { ...SETTINGS, skipBad: true };
    const first = { rows: 3, added: 2, updated: 0, unchanged: 0, bad: 1 };
    const nothing = { ...first, added: 0, unchanged: 2 };
    assert.deepEqual(countsOf(await run(path, { settings })), first);
    const again = await run(path, { settings });
    assert.deepEqual(countsOf(again), nothing);
    assert.match(again.problems[0]?.message ?? "", /^there is no category "Vögel"/);
    await assert.rejects(run(path), { code: "file_has_bad_rows" });
    const corrected = { settings: { ...settings, createCategories: true } };
    const added = { rows: 3, added: 1, updated: 0, unchanged: 2, bad: 0 };
    assert.deepEqual(countsOf(await run(path, { ...corrected, isDryRun: true })), added);
    assert.deepEqual(countsOf(await run(path, corrected)), added);
    assert.deepEqual(countsOf(await run(path, corrected)), { ...added, added: 0, unchanged: 3 });
  });

  await t.test("A corrected setting adds the skipped rows, and no row twice", async () => {
    const path = write("name,categoryId,fee\nS1,3,\nS2,3,50\n");
    const euros = { settings: { ...SETTINGS, skipBad: true, currency: "EUR" } };
    assert.deepEqual(countsOf(await run(path, skipBad)), {
      rows: 2,
      added: 1,
      updated: 0,
      unchanged: 0,
      bad: 1,
    });
    assert.deepEqual(countsOf(await run(path, euros)), {
      rows: 2,
      added: 1,
      updated: 0,
      unchanged: 1,
      bad: 0,
    });
    const dollars = { settings: { ...SETTINGS, currency: "USD" } };
    for (const settings of [euros, dollars])
      assert.deepEqual(countsOf(await run(path, settings)), {
        rows: 2,
        added: 0,
        updated: 0,
        unchanged: 2,
        bad: 0,
      });
    // The row is done: that this reading cannot read it does not make it a row to add.
    assert.equal((await run(path, skipBad)).bad, 1);
    assert.equal((await run(path, euros)).unchanged, 2);
  });

  await t.test("A second import that is interrupted adds no row twice", async () => {
    const before = await count();
    const rows = Array.from({ length: ROWS }, (_, i) => `T${i},3,${i % 3 === 0 ? "50" : ""}\n`);
    const path = write(`name,categoryId,fee\n${rows.join("")}`);
    const bad = Math.ceil(ROWS / 3);
    assert.equal((await run(path, skipBad)).added, ROWS - bad);
    const euros = { settings: { ...SETTINGS, currency: "EUR" } };
    const abort = new AbortController();
    const onProgress = (done: number) => done > 0 && abort.abort(new Error("gone"));
    await assert.rejects(run(path, { ...euros, signal: abort.signal, onProgress }), /gone/);
    const rest = await run(path, euros);
    assert.deepEqual([rest.added + rest.unchanged, (await count()) - before], [ROWS, ROWS]);
    assert.ok(rest.added > 0 && rest.added < bad, `${rest.added} added`);
  });

  await t.test("An interrupted import that is continued adds the rows that it had skipped", async () => {
    const before = await count();
    const path = write(`name,categoryName\nFirst,Fische\n${"Other,Hunde\n".repeat(ROWS)}`);
    const abort = new AbortController();
    const onProgress = (done: number) => done > 0 && abort.abort(new Error("gone"));
    await assert.rejects(run(path, { ...skipBad, signal: abort.signal, onProgress }), /gone/);
    const rest = await run(path, { settings: { ...SETTINGS, createCategories: true } });
    assert.deepEqual([rest.bad, (await count()) - before], [0, ROWS + 1]);
    assert.equal((await run(path)).unchanged, ROWS + 1);
  });
});

testOnEngines("The categories of rows without one", async (t, db) => {
  const { write, run } = makeScene(t, db);
  const find = async (externalId: string) => {
    const row = await db.first("SELECT category_id FROM pets WHERE external_id = $1", [externalId]);
    return row?.category_id;
  };
  const path = write("externalId,name,species,category\nA,Rex,dog,\nB,Mia,cat,Kittens\nC,Ida,,\n");

  await t.test("Categories are created by name and by species", async () => {
    const settings = { ...SETTINGS, createCategories: true, skipBad: true };
    assert.deepEqual(countsOf(await run(path, { settings })), {
      rows: 3,
      added: 2,
      updated: 0,
      unchanged: 0,
      bad: 1,
    });
    const categories = await db.all("SELECT id, name FROM categories ORDER BY id");
    assert.deepEqual(
      categories.map(({ id, name }) => `${id} ${name}`),
      ["1 Dogs", "2 Kittens"],
    );
    assert.deepEqual([await find("A"), await find("B")], [1n, 2n]);
  });

  await t.test("The setting categoryId is for new animals, and known ones keep their category", async () => {
    const other = write("externalId,name,species\nA,Rex II,dog\nD,Tom,dog\n");
    const settings = { ...SETTINGS, categoryId: 9n, createCategories: true };
    assert.deepEqual(countsOf(await run(other, { settings })), {
      rows: 2,
      added: 1,
      updated: 1,
      unchanged: 0,
      bad: 0,
    });
    assert.deepEqual([await find("A"), await find("D")], [1n, 9n]);
    assert.equal((await db.all("SELECT id FROM categories")).length, 2);
  });
});

testOnEngines("The category of an animal in the preview", async (t, db) => {
  const { write, run } = makeScene(t, db);
  const insert = "INSERT INTO categories (id, name) VALUES (0, 'Zero'), (3, 'Hunde'), (4, 'Cats')";
  await db.transaction((tx) => tx.run(insert));
  await run(write("externalId,name,categoryId\nA,Rex,3\n"));
  const preview = async (text: string, settings = {}) => {
    const dry = await run(write(text), { settings: { ...SETTINGS, ...settings }, isDryRun: true });
    return dry.preview.map(({ categoryId, categoryName }) => [categoryId, categoryName]);
  };

  await t.test("A known animal keeps its category, whatever the setting is", async () => {
    const known = "externalId,name\nA,Rexina\n";
    assert.deepEqual(await preview(known), [[3n, "Hunde"]]);
    assert.deepEqual(await preview(known, { categoryId: 4n }), [[3n, "Hunde"]]);
  });

  await t.test("The category has the name that the store has or gets", async () => {
    const rows = "externalId,name,species,category\nB,Mia,bird,\nC,Ida,,Kittens\nD,Tom,,hunde\n";
    const found = await preview(rows, { createCategories: true });
    assert.deepEqual(
      found.map(([, name]) => name),
      ["Birds", "Kittens", "Hunde"],
    );
    const given = await preview("name,categoryId,categoryName\nTom,77,Nowhere\nTom,4,\n");
    assert.deepEqual(given, [
      [77n, undefined],
      [4n, "Cats"],
    ]);
  });
});

testOnEngines("The columns of a report", async (t, db) => {
  const { write, run } = makeScene(t, db);
  await t.test("Columns show the order in which dates were read", async () => {
    const path = write("name,categoryId,dob,intake date\nRex,1,4/1/2023,1.4.2023\n");
    const settings = { ...SETTINGS, dateOrder: "mdy" } as const;
    const { columns, preview } = await run(path, { settings, isDryRun: true });
    assert.deepEqual(
      columns.slice(2).map(({ readAs }) => readAs),
      ["date, month first", "date, day first"],
    );
    assert.deepEqual(preview[0]?.profile, { bornOn: "2023-04-01", arrivedOn: "2023-04-01" });
  });
});

testOnEngines("A problem of a row", async (t, db) => {
  const { write, run } = makeScene(t, db);
  await t.test("A problem names the heading of its column", async () => {
    const path = write("Code,Rufname,categoryId\nA,Rex,1\nA,Mia,1\nB,,1\n");
    const settings = { ...SETTINGS, map: { name: "Rufname", externalId: "Code" } };
    const { problems } = await run(path, { settings, isDryRun: true });
    assert.deepEqual(problems, [
      { line: 3, heading: "Code", value: "A", message: 'externalId "A" is also on line 2' },
      { line: 4, heading: "Rufname", message: "name is required" },
    ]);
  });
});

testOnEngines("The age of a known animal", async (t, db) => {
  const { write, run } = makeScene(t, db);
  await t.test("An age changes an estimated date of birth, but not an exact one", async () => {
    await run(write("externalId,name,categoryId,bornOn\nA,Rex,1,2020-01-01\nB,Mia,1,\n"));
    const aged = (years: number) => run(write(`externalId,dob,age\nA,,${years} years\nB,,${years} years\n`));
    assert.deepEqual((await aged(3)).updated, 1);
    assert.deepEqual((await aged(4)).updated, 1);
    const { preview } = await aged(4);
    assert.deepEqual(
      preview.map(({ profile }) => profile.bornIsEstimated),
      [undefined, true],
    );
    assert.equal(preview[0]?.profile.bornOn, "2020-01-01");
  });
});

testOnEngines("A bad row that is skipped", async (t, db) => {
  const { write, run } = makeScene(t, db);
  const settings = { ...SETTINGS, createCategories: true, skipBad: true };
  const listCategories = async () => (await db.all("SELECT name FROM categories")).map(({ name }) => name);
  await run(write("externalId,name,categoryId,status\nA,Rex,1,sold\n"));

  await t.test("A skipped row creates no category", async () => {
    const path = write("externalId,name,category,status\nA,Rex,Reptiles,pending\nB,Mia,Kittens,\n");
    assert.deepEqual(countsOf(await run(path, { settings })), {
      rows: 2,
      added: 1,
      updated: 0,
      unchanged: 0,
      bad: 1,
    });
    assert.deepEqual(await listCategories(), ["Kittens"]);
  });

  await t.test(
    "A row whose photo cannot be read creates no category that other rows do not need",
    async () => {
      const rows = ["A,Rex,dog,,x", "C,Ida,dog,,", "D,Tom,,Puppies,x"];
      const path = write(["externalId,name,species,category,photos", ...rows, ""].join("\n"));
      const photoSource = { check: () => {}, read: () => assert.fail(new PhotoFileError("it is damaged")) };
      const { report } = await importAnimals(db, requestFor(path, { settings }), {
        clock: systemClock,
        changed: async () => {},
        batchRows: ROWS,
        photoSource,
      });
      assert.deepEqual(countsOf(report), { rows: 3, added: 1, updated: 0, unchanged: 0, bad: 2 });
      assert.deepEqual(await listCategories(), ["Kittens", "Dogs"]);
    },
  );
});

testOnEngines("An unfinished import of release 1.1.0", async (t, db) => {
  const { write, run, count } = makeScene(t, db);
  /** As release 1.1.0 has stored it after one row. */
  const interrupt = (reading: string) =>
    db.transaction((tx) =>
      tx.run(
        "UPDATE imports SET rows_done = 1, finished_at_ms = NULL, reading = $1 WHERE reading <> 'done'",
        [reading],
      ),
    );
  const finish = () => db.transaction((tx) => tx.run("UPDATE imports SET reading = 'done'"));

  await t.test("The import continues if the file is read in the same way", async () => {
    const path = write("name,categoryId,externalId,sex\nRex,1,A,male\nMia,1,,female\n");
    await run(path);
    await interrupt('csv {"delimiter":",","name":0,"categoryId":1,"externalId":2,"sex":3}');
    assert.deepEqual(countsOf(await run(path)), { rows: 2, added: 1, updated: 0, unchanged: 1, bad: 0 });
    await finish();
  });

  await t.test("A file that is read in another way is refused, and no row is added twice", async () => {
    const path = write("name,categoryId,Geschlecht\nTom,1,m\nIda,1,w\n");
    await run(path);
    await interrupt('csv {"delimiter":",","name":0,"categoryId":1}');
    const before = await count();
    await assert.rejects(run(path), {
      code: "invalid_parameter",
      message: /interrupted after 1 rows\. .* or import its other rows as a file of their own\.$/,
    });
    assert.equal(await count(), before);
  });
});

testOnEngines("A file that release 1.1.0 has imported", async (t, db) => {
  const { write, run } = makeScene(t, db);

  await t.test("The file is not imported again, although more of it can be read now", async () => {
    const rows = [
      '{"name":"Rex","categoryId":1,"externalId":"A","Geschlecht":"m"}',
      '{"name":"Ida","categoryId":1}',
    ];
    const path = write(rows.join("\n"), "ndjson");
    await run(path, { settings: { ...SETTINGS, map: { sex: null } } });
    const reading = 'ndjson {"name":"name","categoryId":"categoryId","externalId":"externalId"}';
    await db.transaction((tx) => tx.run("UPDATE imports SET reading = $1, imported = NULL", [reading]));
    assert.deepEqual(countsOf(await run(path)), { rows: 2, added: 0, updated: 0, unchanged: 2, bad: 0 });
  });
});
