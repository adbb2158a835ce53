// `export --format petfinder|adoptapet|rescuegroups`: the files that aggregators read.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import sharp from "sharp";
import { readConfig } from "../../src/config/config.ts";
import { AGGREGATORS, type Aggregator } from "../../src/domain/animals/aggregator.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createPhotoStore } from "../../src/storage/stores/animals/photos.ts";
import { exportToFolder } from "../../src/transfer/export/aggregator-folder.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import {
  addAnimals,
  addPhotos,
  EXPORT_MS,
  GOOD_ANIMALS,
  OTHER_ANIMALS,
} from "../unit/transfer/aggregator-animals.ts";
import { makeStore, type TestStore, testOnStores } from "./stores.ts";

const GOLDEN = join(import.meta.dirname, "../fixtures/export");
const FILES: Record<Aggregator, string[]> = {
  petfinder: ["petfinder.csv"],
  adoptapet: ["import.cfg", "pets.csv", "photos"],
  rescuegroups: ["rescuegroups.csv"],
};
const PUBLIC_URL = "https://animals.example.org";
const PHOTOS = ["1-1.jpg", "1-2.jpg", "1-3.jpg", "1-4.jpg"];

const drawWebp = (colour: string) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: colour } })
    .webp()
    .toBuffer();

testOnStores("export for aggregators", async (t, { db, environment, folder }) => {
  await addAnimals(db, [...GOOD_ANIMALS, ["Sold", "sold", {}]]);
  await addPhotos(db, await drawWebp("red"));
  const run = (aggregator: Aggregator) =>
    exportToFolder(readConfig({ ...environment, PUBLIC_URL }), {
      aggregator,
      folder: join(folder, aggregator),
      shelterId: undefined,
      skip: false,
      isDryRun: false,
      nowMs: EXPORT_MS,
      onBadAnimals: async () => {},
      onProgress: () => {},
    });

  for (const aggregator of AGGREGATORS)
    await t.test(`the files of ${aggregator} have exactly the expected bytes`, async () => {
      const { animals, bad } = await run(aggregator);
      const available = GOOD_ANIMALS.filter(([, status]) => status === "available").length;
      assert.deepEqual([animals, bad], [aggregator === "adoptapet" ? available : GOOD_ANIMALS.length, 0]);
      assert.deepEqual(readdirSync(join(folder, aggregator)), FILES[aggregator]);
      for (const name of FILES[aggregator].filter((each) => each !== "photos"))
        assert.equal(
          readFileSync(join(folder, aggregator, name), "utf8"),
          readFileSync(join(GOLDEN, name), "utf8"),
        );
    });

  await t.test("photos are JPEG files, at most 4 of an animal, only of animals in the file", async () => {
    const photos = join(folder, "adoptapet/photos");
    assert.deepEqual(readdirSync(photos), PHOTOS);
    const { format, width, height } = await sharp(readFileSync(join(photos, "1-1.jpg"))).metadata();
    assert.deepEqual([format, width, height], ["jpeg", 300, 200]);
  });

  await t.test("photos that an animal no longer has disappear, and other files stay", async () => {
    const photos = join(folder, "adoptapet/photos");
    writeFileSync(join(photos, "77-1.jpg"), "old");
    writeFileSync(join(photos, "logo.jpg"), "mine");
    const [listing] = await db.all("SELECT id FROM photos WHERE pet_id = 1 ORDER BY position");
    await createPhotoStore(db).delete(1n, listing?.id as bigint, { atMs: 2 });
    for (const { id } of (await db.all("SELECT id FROM photos WHERE pet_id = 1 ORDER BY position")).slice(2))
      await createPhotoStore(db).delete(1n, id as bigint, { atMs: 2 });
    await run("adoptapet");
    assert.deepEqual(readdirSync(photos), ["1-1.jpg", "1-2.jpg", "logo.jpg"]);
  });
});

/** With the animals that no file, or not every file, can express. */
async function makeMixedStore(t: TestContext): Promise<TestStore & { out: string }> {
  const store = await makeStore(t);
  await addAnimals(store.db, [...GOOD_ANIMALS, ...OTHER_ANIMALS]);
  return { ...store, out: join(store.folder, "out") };
}

test("export refuses animals that cannot be expressed, names each with the reason, and writes nothing", async (t) => {
  const { assertRefused, out } = await makeMixedStore(t);
  const says = /^animal-store: 5 of 14 animals cannot be expressed\. .*--skip/;
  const { stdout } = await assertRefused(["export", "--format", "rescuegroups", "--out", out], says);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
    [
      ["ID", "NAME", "CANNOT BE EXPRESSED"],
      ["10", "No profile", "no species, no breed, sex neither male nor female"],
      ["11", "No species", "no species"],
      ["12", "No breed", "no breed"],
      ["13", "No sex", "sex neither male nor female"],
      ["15", "x".repeat(51), "a name of more than 50 characters"],
      ["9 of 14 animals can be expressed. Nothing was written."],
    ],
  );
  assert.equal(existsSync(out), false);
  const petfinder = await assertRefused(["export", "--format", "petfinder", "--out", out], /4 of 14 animals/);
  assert.doesNotMatch(petfinder.stdout, /xxx/);
  const adoptapet = await assertRefused(["export", "--format", "adoptapet", "--out", out], /3 of 11 animals/);
  assert.doesNotMatch(adoptapet.stdout, /No breed/, "it is pending");
});

test("long and unsafe names are cut in the list of animals that cannot be expressed", async (t) => {
  const store = await makeStore(t);
  await addAnimals(store.db, [
    ["🐕".repeat(255), "available", {}],
    ["\u202e".repeat(255), "available", {}],
  ]);
  const { stdout } = await store.command("export", "--format", "rescuegroups", "--dry-run");
  const names = stdout.split("\n").map((line) => line.split(/ {2,}/)[1]);
  assert.deepEqual(names.slice(1, 3), [`${"🐕".repeat(30)}…`, `${"\\u202e".repeat(10)}…`]);
});

test("export to a folder that cannot be created says what to do", async (t) => {
  const { db, assertRefused } = await makeStore(t);
  await addAnimals(db, GOOD_ANIMALS);
  await assertRefused(
    ["export", "--format", "petfinder", "--out", "/proc/nope"],
    /^animal-store: \/proc\/nope cannot be written: ENOENT: no such file or directory\. Nothing was changed\. Choose another folder: one that exists or can be created\.\n$/,
  );
});

test("export --skip leaves these animals out and says so", async (t) => {
  const { readOutput, readJson, out } = await makeMixedStore(t);
  const flags = ["--format", "petfinder", "--out", out, "--skip"];
  assert.match(
    await readOutput("export", ...flags),
    /\nExported: 10 animals to .*petfinder\.csv\. Left out: 4 animals\.\n$/,
  );
  assert.doesNotMatch(
    readFileSync(join(out, "petfinder.csv"), "utf8"),
    /No (profile|species|breed|sex)|Sold/,
  );
  const { badAnimals, ...result } = (await readJson("export", ...flags)) as Record<string, unknown>;
  const files = [join(out, "petfinder.csv")];
  const counts = { format: "petfinder", isDryRun: false, animals: 10, bad: 4, needsPublicUrl: false };
  assert.deepEqual(result, { ...counts, photos: 0, files });
  assert.deepEqual((badAnimals as object[])[1], { id: 11, name: "No species", reasons: ["no species"] });
});

test("export --dry-run writes nothing: exit 1 with animals that cannot be expressed, otherwise 0", async (t) => {
  const { assertRefused, readOutput, db, out } = await makeMixedStore(t);
  const flags = ["export", "--format", "petfinder", "--out", out, "--dry-run"];
  const says = /4 of 14 animals cannot be expressed/;
  await assertRefused(flags, says);
  await assertRefused([...flags, "--skip"], says);
  await db.transaction((tx) => tx.run("DELETE FROM pets WHERE id BETWEEN 10 AND 13"));
  assert.equal(await readOutput(...flags), "10 of 10 animals can be expressed. Nothing was written.\n");
  assert.equal(existsSync(out), false);
});

test("export for an aggregator writes an empty list too, and replaces older files", async (t) => {
  const { readOutput, folder } = await makeStore(t);
  for (const aggregator of AGGREGATORS) {
    const out = join(folder, aggregator);
    mkdirSync(join(out, "photos"), { recursive: true });
    writeFileSync(join(out, "photos/5-1.jpg"), "old");
    for (const name of FILES[aggregator].filter((each) => each !== "photos"))
      writeFileSync(join(out, name), "old", { mode: 0o400 });
    await readOutput("export", "--format", aggregator, "--out", out);
    assert.deepEqual(readdirSync(join(out, "photos")), aggregator === "adoptapet" ? [] : ["5-1.jpg"]);
    assert.deepEqual(readdirSync(out), [...new Set([...FILES[aggregator], "photos"])].sort());
  }
  const settings = readFileSync(join(folder, "adoptapet/import.cfg"), "utf8");
  assert.match(settings, /^#1:Id=Id\r\n#2:Animal=Animal\r\n/);
  assert.equal(readFileSync(join(folder, "adoptapet/pets.csv"), "utf8"), "");
  assert.match(
    readFileSync(join(folder, "petfinder/petfinder.csv"), "utf8"),
    /^ID,Internal,[^\n]*,tags\r\n$/,
  );
});

test("export --shelter writes the animals of this shelter only", async (t) => {
  const { readOutput, assertRefused, db, folder } = await makeStore(t);
  await addAnimals(db, GOOD_ANIMALS);
  await readOutput("shelters", "create", "--name", "Second");
  await db.transaction((tx) => tx.run("UPDATE pets SET shelter_id = 2 WHERE id IN (3, 6)"));
  const flags = ["export", "--format", "petfinder", "--out", folder, "--shelter"];
  await readOutput(...flags, "2");
  const rows = readFileSync(join(folder, "petfinder.csv"), "utf8").trimEnd().split("\r\n").slice(1);
  assert.deepEqual(
    rows.map((row) => row.split(",")[0]),
    ["3", "6"],
  );
  // An empty list would delete every animal of the shelter at the aggregator.
  await assertRefused([...flags, "3"], /No shelter has this identifier\. List them/);
});

test("export needs PUBLIC_URL for addresses of photos, and none where there are no photos", async (t) => {
  const { command, readOutput, assertRefused, environment, db, folder } = await makeStore(t);
  await addAnimals(db, GOOD_ANIMALS);
  const flags = ["export", "--format", "rescuegroups", "--out", folder];
  await readOutput(...flags);
  await addPhotos(db, await drawWebp("blue"));
  const says = /^animal-store: This site reads photos from their addresses\. Set PUBLIC_URL/;
  await assertRefused(flags, says);
  const dry = await command(...flags, "--dry-run");
  assert.equal(dry.code, 0, "every animal can be expressed");
  assert.match(dry.stderr, says);
  assert.doesNotMatch(readFileSync(join(folder, "rescuegroups.csv"), "utf8"), /photos\//);
  await commandsIn({ ...environment, PUBLIC_URL }).readOutput(...flags);
  assert.match(
    readFileSync(join(folder, "rescuegroups.csv"), "utf8"),
    /,https:\/\/animals\.example\.org\/photos\/1{64}-1280\.webp,/,
  );
});

test("an export for Adopt-a-Pet that fails changes nothing", async (t) => {
  const { assertRefused, readOutput, db, folder } = await makeStore(t);
  await addAnimals(db, GOOD_ANIMALS);
  await addPhotos(db, await drawWebp("red"));
  const flags = ["export", "--format", "adoptapet", "--out", folder];
  await readOutput(...flags);
  const read = () =>
    readdirSync(folder).map((name) => [name, name === "photos" ? readdirSync(join(folder, name)) : ""]);
  const before = read();
  const pets = readFileSync(join(folder, "pets.csv"), "utf8");
  await createPetStore(db).create({ name: "New", categoryId: 1n, status: "sold" }, { atMs: 2 });
  await db.transaction((tx) =>
    tx.run("UPDATE image_files SET bytes = $1 WHERE hash = $2", [
      Buffer.from("broken"),
      Buffer.alloc(32, 0x33),
    ]),
  );
  await db.transaction((tx) => tx.run("UPDATE pets SET name = 'Changed' WHERE id = 1"));
  await assertRefused(flags, /unsupported image format/);
  assert.deepEqual(read(), before);
  assert.equal(readFileSync(join(folder, "pets.csv"), "utf8"), pets);
});

test("export refuses options that do not fit the format", async (t) => {
  const { assertRefused, folder, write } = await makeStore(t);
  const file = write("file", "");
  mkdirSync(join(folder, "pets.csv"));
  const petfinder = ["--format", "petfinder"];
  const cases: Array<[args: string[], code: number, says: RegExp]> = [
    [petfinder, 2, /--out is missing/],
    [[...petfinder, "--out", folder, "a.csv"], 2, /fixed names: give a folder with --out/],
    [[...petfinder, "--out", folder, "--excel"], 2, /--excel is not for --format petfinder/],
    [[...petfinder, "--out", folder, "--status", "sold"], 2, /--status is not for/],
    [[...petfinder, "--out", folder, "--shelter", "x"], 2, /--shelter must be the id of a shelter/],
    [["a.csv", "--skip"], 2, /--skip needs --format with one of petfinder, adoptapet, rescuegroups/],
    [["a.csv", "--shelter", "0"], 2, /--shelter needs --format/],
    [["--format", "x"], 2, /--format must be one of csv, ndjson, petfinder, adoptapet, rescuegroups/],
    [[...petfinder, "--out", file], 1, /exists and is not a folder/],
    [["--format", "adoptapet", "--out", folder], 1, /pets\.csv exists and is not a file/],
  ];
  for (const [args, code, says] of cases) await assertRefused(["export", ...args], says, code);
});
