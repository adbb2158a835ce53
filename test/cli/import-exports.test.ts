// `import` of files as shelters have them: exports of other programs, and a German spreadsheet.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ImportColumn } from "../../src/domain/animals/animal-import.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { makeStore, type TestStore } from "./stores.ts";

const FOLDER = join(import.meta.dirname, "../fixtures/import");

async function importFile({ command }: TestStore, name: string, ...flags: string[]) {
  const { code, stdout, stderr } = await command("import", join(FOLDER, name), "--json", ...flags);
  return { code, stderr, ...JSON.parse(stdout || assert.fail(stderr)) };
}

/** Name, category, status and profile of each animal. */
async function readAnimals({ db }: TestStore) {
  const listings = createListingStore(db);
  const ids = await db.all("SELECT id FROM pets ORDER BY id");
  return Promise.all(
    ids.map(async ({ id }) => {
      const { name, categoryName, status, profile } = (await listings.find(id as bigint)) ?? assert.fail();
      return { name, categoryName, status, profile };
    }),
  );
}

const readAsOf = (columns: ImportColumn[], name: string) =>
  columns.find(({ heading }) => heading === name)?.readAs;

test("import reads an export of ASM3 without any option but the categories", async (t) => {
  const store = await makeStore(t);
  const { added, bad, columns } = await importFile(store, "asm3.csv", "--create-categories");
  assert.deepEqual([added, bad], [3, 0]);
  const ignored = columns.filter(({ member }: ImportColumn) => member === null);
  assert.deepEqual(
    ignored.map(({ heading }: ImportColumn) => heading),
    ["ID", "SHORTCODE", "BREEDNAME", "SEX", "SIZE", "ISGOODWITHCATS", "IDENTICHIPNUMBER"],
  );
  const [bramble, pepper, clover] = await readAnimals(store);
  assert.deepEqual(bramble, {
    name: "Bramble",
    categoryName: "Dogs",
    status: "available",
    profile: {
      species: "dog",
      breeds: ["Labrador Retriever"],
      mixed: false,
      sex: "male",
      bornOn: "2023-04-01",
      bornIsEstimated: true,
      size: "large",
      colors: ["Black and White"],
      coat: "short",
      goodWith: { children: "yes", dogs: "yes", cats: "no" },
      neutered: "yes",
      houseTrained: "yes",
      specialNeeds: "no",
      description: "Calm and curious.\nLikes long walks.",
      arrivedOn: "2026-10-02",
      externalId: "D2026014",
    },
  });
  assert.deepEqual(pepper?.profile.breeds, ["Domestic Short Hair", "Siamese"]);
  assert.deepEqual([pepper?.status, clover?.profile.sex], ["pending", "unknown"]);
  assert.deepEqual([clover?.categoryName, clover?.profile.bornIsEstimated], ["Small animals", true]);
});

test("import reads an export of Petfinder, whose fees need a currency", async (t) => {
  const store = await makeStore(t);
  const refused = await importFile(store, "petfinder.csv", "--create-categories");
  assert.equal(refused.code, 1);
  assert.deepEqual(
    refused.problems.map(({ line, heading, value }: Record<string, string>) => [line, heading, value]),
    [
      [2, "adoption_fee", "250.00"],
      [4, "adoption_fee", "75"],
    ],
  );
  const flags = ["--create-categories", "--currency", "USD"];
  const { added, columns } = await importFile(store, "petfinder.csv", ...flags);
  assert.equal(added, 3);
  assert.equal(readAsOf(columns, "birth_date"), "date, month first");
  assert.equal(readAsOf(columns, "NoDogs"), "yes means no, others are not read");
  const [biscuit, misty, rocky] = await readAnimals(store);
  assert.deepEqual(biscuit, {
    name: "Biscuit",
    categoryName: "Dogs",
    status: "available",
    profile: {
      species: "dog",
      breeds: ["Beagle", "Terrier"],
      mixed: true,
      sex: "male",
      bornOn: "2021-05-14",
      size: "medium",
      colors: ["Brown", "White", "Black"],
      coat: "short",
      goodWith: { cats: "no" },
      neutered: "yes",
      vaccinated: "yes",
      houseTrained: "yes",
      description: "Loves people.",
      fee: { amount: 25_000, currency: "USD" },
      arrivedOn: "2026-09-30",
      externalId: "PF-1",
      tags: ["calm", "playful"],
    },
  });
  assert.deepEqual([misty?.status, misty?.profile.goodWith], ["pending", { dogs: "no" }]);
  assert.deepEqual([rocky?.profile.species, rocky?.categoryName], ["other", "Other animals"]);
});

test("import reads an export of Shelterluv, with a microchip as a member of its own", async (t) => {
  const store = await makeStore(t);
  const flags = ["--create-categories", "--currency", "USD", "--map", "custom.microchip=Microchip Number"];
  const { added } = await importFile(store, "shelterluv.csv", ...flags);
  assert.equal(added, 3);
  const [waffles, olive, juno] = await readAnimals(store);
  const { bornOn, ...profile } = waffles?.profile ?? {};
  assert.match(bornOn ?? "", /^20\d\d-\d\d-\d\d$/);
  assert.deepEqual(profile, {
    species: "dog",
    breeds: ["Retriever, Labrador", "Mix"],
    sex: "male",
    bornIsEstimated: true,
    size: "large",
    colors: ["Yellow", "White"],
    neutered: "yes",
    description: "Knows sit, stay and paw.",
    fee: { amount: 30_000, currency: "USD" },
    arrivedOn: "2026-10-21",
    externalId: "SL-A-4471",
    custom: { microchip: "985113004477" },
  });
  assert.deepEqual([olive?.status, olive?.profile.bornOn, juno?.status], ["available", "2026-07-13", "sold"]);
});

const GERMAN = ["--map", "name=Rufname,externalId=Nr.,custom.chip=Chipnummer", "--create-categories"];

test("import reads a German spreadsheet with 40 bad rows, which --bad-rows writes to correct them", async (t) => {
  const store = await makeStore(t);
  const path = join(store.folder, "bad.csv");
  const flags = [...GERMAN, "--skip-bad", "--bad-rows", path];
  const { added, bad, problems, settings, preview } = await importFile(store, "german.csv", ...flags);
  assert.deepEqual([added, bad, problems.length], [60, 40, 40]);
  assert.deepEqual([settings.encoding, settings.delimiter], ["windows-1252", ";"]);
  assert.deepEqual(problems[0], {
    line: 3,
    heading: "Tierart",
    value: "Drache",
    message:
      "species must be one of dog, cat, rabbit, bird, horse, reptile, small_animal, farm_animal, other",
  });
  assert.equal(preview[0].name, "Bärli");
  const [baerli] = await readAnimals(store);
  assert.deepEqual(baerli, {
    name: "Bärli",
    categoryName: "Dogs",
    status: "available",
    profile: {
      species: "dog",
      breeds: ["Schäferhund"],
      sex: "male",
      bornOn: "2018-01-01",
      size: "small",
      colors: ["schwarz"],
      neutered: "yes",
      vaccinated: "yes",
      description: "Lieb und verschmust.",
      fee: { amount: 15_000, currency: "EUR" },
      arrivedOn: "2026-10-01",
      externalId: "T-001",
      custom: { chip: "276098100000000" },
    },
  });

  const written = readFileSync(path, "utf8");
  assert.match(written, /^problem;Nr\.;Rufname;Tierart;/);
  assert.match(written, /\n"?line 3: Tierart: species must be one of .*;T-002;Jürgen;Drache;/);
  const corrected = written
    .replaceAll("Drache", "Hund")
    .replaceAll("31.02.2024", "28.02.2024")
    .replaceAll(";kastriert;", ";m;")
    .replaceAll("riesig", "groß")
    .replaceAll("Quarantäne", "reserviert")
    .replaceAll(";VB;", ";;");
  const again = await store.command("import", store.write("corrected.csv", corrected), "--json", ...GERMAN);
  assert.equal(JSON.parse(again.stdout).added, 40, again.stderr);
  assert.equal(await store.countPets(), 100);
});

test("import --bad-rows guards formulas with --excel, keeps its file, and has only headings without bad rows", async (t) => {
  const store = await makeStore(t);
  const file = store.write("in.csv", 'name,sex,note\nRex,=1+1,"a,b"\nMia,f,+1\n');
  const [plain, excel, none] = ["plain.csv", "excel.csv", "none.csv"].map((name) => join(store.folder, name));
  const run = (...flags: string[]) =>
    store.command("import", file, "--category", "1", "--skip-bad", ...flags);
  await run("--dry-run", "--bad-rows", plain as string);
  await run("--dry-run", "--excel", "--bad-rows", excel as string);
  await run("--dry-run", "--ignore", "sex", "--bad-rows", none as string);
  const reason = '"line 2: sex: sex must be one of male, female, unknown"';
  assert.equal(readFileSync(plain as string, "utf8"), `problem,name,sex,note\n${reason},Rex,=1+1,"a,b"\n`);
  assert.equal(
    readFileSync(excel as string, "utf8"),
    `\uFEFFproblem,name,sex,note\r\n${reason},Rex,'=1+1,"a,b"\r\n`,
  );
  assert.equal(readFileSync(none as string, "utf8"), "problem,name,sex,note\n");
  const twice = await run("--dry-run", "--bad-rows", plain as string);
  assert.match(twice.stderr, /plain\.csv exists already\. Choose another name for --bad-rows\./);
});

test("import --bad-rows keeps every cell of a row that cannot be read", async (t) => {
  const store = await makeStore(t);
  const file = join(store.folder, "cells.csv");
  const rows = ["name,sex", "Rex,m,extra", "Zo\x81é,f", 'Mia,"f" x', "Zoé,f", "é,f", ""];
  writeFileSync(file, Buffer.from(rows.join("\n"), "latin1"));
  const path = join(store.folder, "bad-cells.csv");
  await store.command(
    "import",
    file,
    "--encoding",
    "windows-1252",
    "--dry-run",
    "--category",
    "1",
    "--bad-rows",
    path,
  );
  assert.deepEqual(readFileSync(path, "utf8").split("\n"), [
    "problem,name,sex",
    '"line 2: the row has 3 fields, the first line has 2",Rex,m,extra',
    "line 3: the row is not Windows-1252,Zo\uFFFDé,f",
    'line 4: text follows a closing quote,Mia,"""f"" x"',
    "",
  ]);
});

test("every import of the guide reads the file that it is made for", async (t) => {
  const store = await makeStore(t);
  const guide = readFileSync(
    join(import.meta.dirname, "../../docs/guides/16-move-to-animal-store.md"),
    "utf8",
  );
  const commands = [...guide.matchAll(/^npm run -s animal-store -- import (\S+\.csv) (.*)$/gm)];
  assert.equal(commands.length, 8);
  for (const [, name = "", options = ""] of commands) {
    const file = name === "animals.csv" ? "german.csv" : name;
    const path = name === "other-store.csv" ? join(store.folder, name) : join(FOLDER, file);
    if (name === "other-store.csv") await store.command("export", path);
    const flags = Array.from(options.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
    const written = flags.map((flag) => (flag === "bad.csv" ? join(store.folder, flag) : flag));
    const { code, stderr } = await store.command("import", path, ...written);
    assert.deepEqual([code, stderr], [0, ""], `${name} ${options}`);
  }
  // The export of the same store changes nothing.
  assert.equal(await store.countPets(), 3 + 3 + 3 + 60);
});
