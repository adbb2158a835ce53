// `import --photos`: adds the files that the rows name, each once, and nothing from outside of the folder.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import { createListingStore } from "../../../src/storage/stores/animals/listings.ts";
import { createPhotoStore } from "../../../src/storage/stores/animals/photos.ts";
import { importAnimals } from "../../../src/transfer/import/importer.ts";
import { openPhotoFolder } from "../../../src/transfer/import/photo-folder.ts";
import { makeStore, type TestStore, testOnStores, writeNext } from "../../cli/stores.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { startCommand } from "../../harness/servers/service.ts";
import { requestFor } from "../../unit/transfer/rows.ts";

/** Small, because every image is converted in a process of its own. */
const SIZE = { width: 8, height: 6 };
/** Enough batches to be killed between two of them. */
const ROWS = 600;

/** A folder with images: their width tells them apart. */
async function drawPhotos(store: TestStore, count: number): Promise<string> {
  const folder = join(store.folder, "pictures");
  mkdirSync(join(folder, "dogs"), { recursive: true });
  for (let i = 1; i <= count; i++)
    writeFileSync(join(folder, `${i}.png`), await drawImage("red", { ...SIZE, width: i }));
  writeFileSync(join(folder, "dogs", "rex.png"), await drawImage("red", { ...SIZE, width: 100 }));
  return folder;
}

/** A store, a folder of images, and questions to both. */
async function makeScene(store: TestStore) {
  const { db } = store;
  const folder = await drawPhotos(store, 10);
  const listings = createListingStore(db);
  /** The widths of the photos of an animal. */
  const photosOf = async (externalId: string) => {
    const row = await db.first("SELECT id FROM pets WHERE external_id = $1", [externalId]);
    const listing = await listings.find((row?.id ?? assert.fail(`no ${externalId}`)) as bigint);
    return listing?.photos.map(({ width }) => width);
  };
  const read = async (sql: string) => Number((await db.first(sql))?.n);
  const countPets = () => read("SELECT count(*) AS n FROM pets");
  const countPhotos = () => read("SELECT count(*) AS n FROM photos");
  const newest = () => read("SELECT max(number) AS n FROM history");
  const run = async (text: string, ...flags: string[]) => {
    const result = await store.command("import", writeNext(store, text), "--json", ...flags);
    return { code: result.code, stderr: result.stderr, ...JSON.parse(result.stdout || "{}") };
  };
  const add = async (text: string, ...flags: string[]) => {
    const result = await run(text, "--photos", folder, ...flags);
    assert.equal(result.code, 0, JSON.stringify(result));
    return result;
  };
  /** Of an import that writes nothing. */
  const problemsOf = async (text: string, ...flags: string[]) => {
    const before = [await countPets(), await newest()];
    const { code, problems } = await run(text, "--photos", folder, ...flags);
    assert.notEqual(code, 0);
    assert.deepEqual([await countPets(), await newest()], before);
    return problems.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`);
  };
  return { db, folder, photosOf, read, countPets, countPhotos, newest, run, add, problemsOf };
}

testOnStores("import --photos", async (t, store) => {
  const { db, folder, photosOf, read, countPets, countPhotos, newest, add, problemsOf } =
    await makeScene(store);

  await t.test("adds the files of a CSV column in their order", async () => {
    const csv =
      "name,categoryId,externalId,photos\nRex,1,A,2.png; dogs/rex.png;1.png\nMia,1,B,\nIda,1,C,3.png\n";
    assert.equal((await add(csv)).added, 3);
    assert.deepEqual([await photosOf("A"), await photosOf("B"), await photosOf("C")], [[2, 100, 1], [], [3]]);
  });

  await t.test("adds only new images to a known animal, as one change", async () => {
    const before = await newest();
    const { added, updated } = await add("externalId,photos\nA,1.png;4.png;4.png;5.png\n");
    assert.deepEqual({ added, updated }, { added: 0, updated: 0 });
    assert.deepEqual(await photosOf("A"), [2, 100, 1, 4, 5]);
    assert.equal(await newest(), before + 1);
  });

  await t.test("adds nothing with --again, and nothing for an imported file", async () => {
    const csv = "externalId,photos\nB,6.png\n";
    const file = writeNext(store, csv);
    const counts: number[] = [];
    for (const flags of [[], ["--again"], []]) {
      await store.command("import", file, "--photos", folder, ...flags);
      counts.push(await countPhotos());
    }
    const [first = 0] = counts;
    assert.deepEqual(counts, [first, first, first]);
    assert.deepEqual(await photosOf("B"), [6]);
  });

  await t.test("lists a known animal that would have more than 12 photos", async () => {
    await add("name,categoryId,externalId,photos\nMax,1,M,1.png\n");
    const id = (await db.first("SELECT id FROM pets WHERE external_id = 'M'"))?.id as bigint;
    const store = createPhotoStore(db);
    for (let i = 0; i < 11; i++) {
      const hash = randomBytes(32).toString("hex");
      const variants = [{ width: 200 + i, bytes: randomBytes(9) }];
      await store.storeImage(id, { hash, width: 200 + i, height: 6, variants }, 1);
      await store.add(id, { hash, alt: "" }, { atMs: 1 });
    }
    assert.deepEqual(await problemsOf("externalId,photos\nM,1.png;2.png\n"), [
      "2 the animal has 12 photos and would have 13, but may have 12",
    ]);
    await add("externalId,photos\nM,1.png;1.png\n");
    assert.equal((await photosOf("M"))?.length, 12);
  });

  await t.test("adds every photo once, also when it is killed and run again", async () => {
    const total = ROWS;
    const before = { pets: await countPets(), photos: await countPhotos() };
    // Without externalId: only the transaction of the animal keeps its photos from being lost or added twice.
    const rows = Array.from({ length: total }, (_, i) => `K${i},77,${(i % 3) + 1}.png;${(i % 3) + 2}.png`);
    const file = writeNext(store, `name,categoryId,photos\n${rows.join("\n")}\n`);
    const { child, ended } = startCommand(["import", file, "--photos", folder], store.environment);
    while ((await countPets()) === before.pets) await pause(5);
    child.kill("SIGKILL");
    await ended;
    const done = (await countPets()) - before.pets;
    assert.ok(done < total, "it was killed before its end");
    assert.equal((await countPhotos()) - before.photos, 2 * done);
    const result = await store.command("import", file, "--photos", folder, "--json");
    assert.equal(result.code, 0, result.stderr);
    const { added, unchanged } = JSON.parse(result.stdout);
    assert.deepEqual({ added, unchanged }, { added: total - done, unchanged: done });
    assert.equal((await countPhotos()) - before.photos, 2 * total);
    const other = await read(
      `SELECT count(*) AS n FROM pets WHERE category_id = 77
        AND (SELECT count(*) FROM photos WHERE pet_id = pets.id) <> 2`,
    );
    assert.equal(other, 0);
  });

  await t.test("does not continue without the photos with which it began", async () => {
    const file = writeNext(store, "name,categoryId,externalId,photos\nLia,1,L,1.png\nLeo,1,L2,2.png\n");
    await store.command("import", file, "--photos", folder);
    await db.transaction((tx) =>
      tx.run(
        "UPDATE imports SET rows_done = 1, finished_at_ms = NULL, imported = NULL WHERE last_id = (SELECT max(id) FROM pets)",
      ),
    );
    const { code, stderr } = await store.command("import", file);
    assert.notEqual(code, 0);
    assert.match(stderr, /Import the file with the same settings to complete it/);
  });
});

test("import --photos adds the photos of an NDJSON list, and says so in the result for people", async (t) => {
  const store = await makeStore(t);
  const { folder, photosOf } = await makeScene(store);
  const ndjson =
    '{"name":"Tom","categoryId":1,"photos":["1.png"],"profile":{"externalId":"D"}}\n{"name":"Kim","categoryId":1}\n';
  const { stdout } = await store.command("import", writeNext(store, ndjson), "--photos", folder);
  assert.match(stdout, /^Imported: 2 animals added, 0 changed, 0 unchanged\. Photos added: 1\.\n/);
  assert.deepEqual(await photosOf("D"), [1]);
});

test("import ignores the column photos without --photos", async (t) => {
  const { countPhotos, run } = await makeScene(await makeStore(t));
  const before = await countPhotos();
  const csv = "name,categoryId,photos\nBob,1,https://example.org/a.webp\nBen,1,../a.png\n";
  const result = await run(csv);
  assert.deepEqual([result.code, result.added], [0, 2]);
  assert.equal(await countPhotos(), before);
});

test("import --photos lists names that lead out of the folder, and addresses", async (t) => {
  const store = await makeStore(t);
  const { folder, problemsOf } = await makeScene(store);
  writeFileSync(join(store.folder, "outside.png"), await drawImage("blue", SIZE));
  symlinkSync(join(store.folder, "outside.png"), join(folder, "link.png"));
  symlinkSync(store.folder, join(folder, "linked"));
  symlinkSync(join(folder, "1.png"), join(folder, "inner.png"));
  const names = [
    join(folder, "1.png"),
    "../outside.png",
    "dogs/../1.png",
    "..\\\\outside.png",
    "C:\\\\1.png",
    "link.png",
    "linked/outside.png",
    "HTTPS://example.org/photos/1.webp",
    "inner.png",
  ];
  const lines = names.map((name) => `Rex,1,"[""${name}""]"\n`);
  const found = await problemsOf(`name,categoryId,photos\n${lines.join("")}`);
  const outside = /: it is not a path inside of the folder of --photos$/;
  const link = /: it is a link that leads out of the folder$/;
  const address = /: it is an address, but --photos reads only files of its folder$/;
  const expected = [outside, outside, outside, outside, outside, link, link, address];
  assert.equal(found.length, expected.length, found.join("\n"));
  for (const [index, pattern] of expected.entries()) {
    assert.match(found[index] ?? "", pattern);
    assert.match(found[index] ?? "", new RegExp(`^${index + 2} photo "`));
  }
});

test("import --photos lists files that cannot be photos, also with --dry-run", async (t) => {
  const { folder, add, problemsOf } = await makeScene(await makeStore(t));
  writeFileSync(join(folder, "text.png"), "hello");
  writeFileSync(join(folder, "empty.png"), "");
  writeFileSync(join(folder, "large.png"), await drawImage("red", SIZE));
  truncateSync(join(folder, "large.png"), 12 * 1024 * 1024 + 1);
  const many = Array.from({ length: 13 }, (_, i) => `${i + 1}.png`).join(";");
  const csv = `name,categoryId,photos\nA,1,no.png\nB,1,1.png;dogs\nC,1,text.png;empty.png\nD,1,large.png\nE,1,${many}\nF,1,[1]\n,1,x.png\nG,1,1.png\n`;
  const expected = [
    '2 photo "no.png": there is no such file in the folder',
    '3 photo "dogs": it is not a file',
    '4 photo "text.png": it is not a JPEG, PNG or WebP image',
    '4 photo "empty.png": it is not a JPEG, PNG or WebP image',
    '5 photo "large.png": it is larger than 12 MiB',
    "6 photos has 13 names, but an animal may have 12",
    "7 photos must be a list of file names or addresses",
    "8 name is required",
  ];
  assert.deepEqual(await problemsOf(csv), expected);
  assert.deepEqual(await problemsOf(csv, "--dry-run"), expected);
  const { added } = await add("name,categoryId,photos\nG,1,1.png;2.png\n", "--dry-run");
  assert.equal(added, 1);
});

test("import --photos finds a damaged file before it writes a row; --skip-bad imports the others", async (t) => {
  const { folder, photosOf, add, problemsOf } = await makeScene(await makeStore(t));
  const image = await drawImage("red", { width: 300, height: 300 });
  writeFileSync(join(folder, "damaged.png"), image.subarray(0, image.length / 2));
  const csv = "name,categoryId,externalId,photos\nA,1,G1,7.png\nB,1,G2,1.png;damaged.png\nC,1,G3,8.png\n";
  assert.deepEqual(await problemsOf(csv), ['3 photo "damaged.png": The image is damaged.']);
  const { added, bad } = await add(csv, "--skip-bad");
  assert.deepEqual({ added, bad }, { added: 2, bad: 1 });
  assert.deepEqual([await photosOf("G1"), await photosOf("G3")], [[7], [8]]);
});

test("import --photos reads another heading, and needs the folder", async (t) => {
  const { folder, photosOf, run, add } = await makeScene(await makeStore(t));
  await add("name,categoryId,externalId,Pictures\nJo,1,J,9.png\n", "--map", "photos=Pictures");
  assert.deepEqual(await photosOf("J"), [9]);
  const nowhere = await run("name,categoryId,photos\nJo,1,\n", "--photos", join(folder, "none"));
  assert.match(nowhere.stderr, /There is no folder .*none\./);
  const unread = await run("name,categoryId,p\nJo,1,\n", "--map", "photos=p");
  assert.match(unread.stderr, /map has "photos", but must have members of an animal/);
});

test("import --photos lists a file that disappears after the check", async (t) => {
  const store = await makeStore(t);
  const { folder, newest } = await makeScene(store);
  const before = await newest();
  const path = writeNext(store, "name,categoryId,photos\nEve,1,10.png\n");
  const source = openPhotoFolder(folder);
  const photoSource = {
    check: source.check,
    read(name: string) {
      rmSync(join(folder, name));
      return source.read(name);
    },
  };
  const options = { clock: systemClock, changed: async () => {}, batchRows: 1 };
  const { report } = await importAnimals(store.db, requestFor(path), { ...options, photoSource });
  const message = 'photo "10.png": there is no such file in the folder';
  assert.deepEqual(report.problems, [{ line: 2, heading: "photos", message }]);
  assert.equal(await newest(), before);
});
