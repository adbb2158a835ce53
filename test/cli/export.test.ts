// `export`: all animals as they are at one moment, exact enough for `import` to restore them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { PetStatus } from "../../src/domain/animals/pet.ts";
import { type Profile, reviseProfile } from "../../src/domain/animals/profile.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { addPets } from "../../src/storage/stores/animals/new-pets.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createPhotoStore } from "../../src/storage/stores/animals/photos.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { runCommand } from "../harness/servers/service.ts";
import { takePostgresStore } from "../harness/servers/stores.ts";
import { anyProfile } from "../unit/transfer/profiles.ts";
import { makeStore, type TestStore, testOnStores } from "./stores.ts";

const NAMES = [
  "Rex",
  "a,b",
  'say "hi"',
  "semi;colon",
  "=1+1",
  "-",
  "Zoë 🐕",
  "line\u2028separator",
  "'",
  "'=1+1",
  "@SUM(A1)",
  "pipe|d",
  '"',
];
const PROFILE_HEAD =
  "externalId,species,breeds,mixed,sex,bornOn,bornIsEstimated,size,colors,coat,goodWith.children,goodWith.dogs,goodWith.cats,neutered,vaccinated,houseTrained,specialNeeds,description,fee.amount,fee.currency,arrivedOn,videoUrl,tags";
const HEAD = `id,name,categoryId,status,${PROFILE_HEAD},shelterId,photos`;
/** The cells after the status of an animal without a profile, in the first shelter. */
const NO_PROFILE = `,${PROFILE_HEAD.replaceAll(/[^,]/g, "")},1,`;
const semicolons = (text: string) => text.replaceAll(",", ";");
const STATUSES: PetStatus[] = ["available", "pending", "sold"];

/** More than a page of every status. Every third animal of the last 300 has a profile. */
async function fill({ db }: TestStore): Promise<void> {
  const profiles = fc.sample(anyProfile, { numRuns: 100, seed: 7 });
  const profileOf = (i: number): Profile | undefined => {
    if (i < 3_200 || i % 3 > 0) return undefined;
    const changes = profiles[(i - 3_200) % 100] as Profile;
    const isBlank = changes.description?.trim() === "";
    return reviseProfile(changes, { externalId: `=${i}; [`, ...(isBlank && { description: null }) });
  };
  const pets = Array.from({ length: 3_500 }, (_, i) => ({
    name: NAMES[i % NAMES.length] as string,
    categoryId: i === 7 ? 9_223_372_036_854_775_807n : BigInt(-i),
    status: STATUSES[i % 3] as PetStatus,
    profile: profileOf(i),
  }));
  await db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), { inOrder: true });
}

function read({ db }: TestStore) {
  return db.all(
    "SELECT name, category_id, status, profile, species, born_on, external_id, good_with FROM pets ORDER BY id",
  );
}

testOnStores("export", async (t, store) => {
  await fill(store);
  const { readOutput, folder, environment } = store;

  const makeOther = async () => {
    const isServer = environment.DATABASE_URL.startsWith("postgres");
    return makeStore(t, isServer ? await takePostgresStore(t) : undefined);
  };

  for (const ending of ["csv", "ndjson"]) {
    await t.test(`export to ${ending} and back gives the same animals`, async () => {
      const file = join(folder, `out.${ending}`);
      assert.equal(await readOutput("export", file), `Exported: 3500 animals to ${file}.\n`);
      const other = await makeOther();
      await other.readOutput("import", file);
      assert.deepEqual(await read(other), await read(store));
    });
  }

  for (const flags of [["--excel"], ["--excel", "--delimiter", ";"]]) {
    await t.test(`export ${flags.join(" ")} and back gives the same animals and categories`, async () => {
      await createCategoryStore(store.db).put({ id: -1n, name: "=Dogs" }, { atMs: 0 });
      const file = join(folder, `${flags.length}.csv`);
      await readOutput("export", file, ...flags);
      const other = await makeOther();
      const output = await other.readOutput("import", file, "--excel", "--create-categories");
      assert.match(output, /\nCreated categories: -1 "=Dogs"\.\n/);
      assert.deepEqual(await read(other), await read(store));
    });
  }

  await t.test("export writes only one status, to standard output", async () => {
    const pets = (await readOutput("export", "-", "--status", "sold")).trimEnd().split("\n");
    assert.equal(pets.length, 1_166);
    assert.equal(pets[0], '{"id":3,"name":"say \\"hi\\"","categoryId":-2,"status":"sold","shelterId":1}');
    const csv = (await readOutput("export", "-", "--format", "csv")).split("\n");
    const rows = [`1,Rex,0,available${NO_PROFILE}`, `2,"a,b",-1,pending${NO_PROFILE}`];
    assert.deepEqual(csv.slice(0, 3), [HEAD, ...rows]);
    assert.equal(csv[8], `8,line\u2028separator,9223372036854775807,pending${NO_PROFILE}`);
  });
});

testOnStores("export of custom members", async (t, { db, readOutput }) => {
  const customs: Array<Profile["custom"]> = [{ kennel: "=1", box: "a,b" }, undefined, { toString: "x" }];
  const pets = customs.map((custom, i) => ({
    name: "Rex",
    categoryId: 1n,
    status: STATUSES[i] as PetStatus,
    profile: { description: '"custom":{"no":"1"}', ...(custom && { custom }) },
  }));
  await db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), { inOrder: true });

  await t.test("each member that an animal has is a column of CSV", async () => {
    const [head = "", ...rows] = (await readOutput("export", "-", "--format", "csv")).split("\n");
    assert.ok(head.endsWith(",tags,shelterId,custom.box,custom.kennel,custom.toString,photos"), head);
    const cells = rows.map((row) => row.slice(row.lastIndexOf('}",,,,,,1,') + 10));
    assert.deepEqual(cells, ['"a,b",=1,,', ",,,", ",,x,", ""]);
  });

  await t.test("a file of one status has the columns of its animals", async () => {
    const csv = await readOutput("export", "-", "--format", "csv", "--status", "sold");
    assert.match(csv, /,tags,shelterId,custom\.toString,photos\n/);
    assert.match(csv, /,x,\n$/);
  });

  await t.test("in NDJSON, the members are an object of the profile", async () => {
    const lines = (await readOutput("export", "-")).trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).profile.custom),
      customs,
    );
  });
});

const REX = { name: "Rex", categoryId: 1n, status: "sold" } as const;
const REX_FILE = `${HEAD}\n1,Rex,1,sold${NO_PROFILE}\n`;

/** A store with one animal. */
async function makeRex(t: TestContext): Promise<TestStore> {
  const store = await makeStore(t);
  await createPetStore(store.db).create(REX, { atMs: 1 });
  return store;
}

const filesOf = (folder: string, start: string) =>
  readdirSync(folder).filter((name) => name.startsWith(start));

test("export writes the address of the largest file of each photo, in order", async (t) => {
  const { db, environment, folder, readOutput } = await makeRex(t);
  const photos = createPhotoStore(db);
  const hashes = ["b", "a"].map((digit) => digit.repeat(64));
  for (const hash of hashes) {
    const variants = [640, 320].map((width) => ({ width, height: 10, bytes: Buffer.from("x") }));
    await photos.storeImage(1n, { hash, width: 700, height: 10, variants }, 1);
    await photos.add(1n, { hash, alt: "" }, { atMs: 1 });
  }
  const urls = hashes.map((hash) => `https://shelter.example/photos/${hash}-640.webp`);
  const online = commandsIn({ ...environment, PUBLIC_URL: "https://shelter.example" });
  const json = await online.readOutput("export", "-");
  assert.deepEqual(JSON.parse(json).photos, urls);
  const csv = await online.readOutput("export", "-", "--format", "csv");
  assert.ok(csv.endsWith(`,"${urls.join("; ")}"\n`), csv);
  assert.match(await readOutput("export", "-"), /"photos":\["\/photos\/b{64}-640\.webp",/);
  const file = join(folder, "photos.ndjson");
  writeFileSync(file, json);
  // An import ignores the addresses.
  await readOutput("import", file, "--dry-run");
});

test("export replaces a file only with --force, and leaves no other file", async (t) => {
  const { folder, readJson, assertRefused } = await makeRex(t);
  const file = join(folder, "out.csv");
  writeFileSync(file, "mine");
  const says = /out\.csv exists already\. Choose another name, or replace it with --force/;
  await assertRefused(["export", file], says);
  assert.equal(readFileSync(file, "utf8"), "mine");
  assert.deepEqual(await readJson("export", file, "--force"), { file, animals: 1 });
  assert.equal(readFileSync(file, "utf8"), REX_FILE);
  assert.deepEqual(filesOf(folder, "out"), ["out.csv"]);
});

test("export writes CSV for Excel: byte order mark, CRLF, names of categories and shelters, no formulas", async (t) => {
  const { db, folder, readOutput } = await makeStore(t);
  const pets = ["=1+1", "+1", "-1", "@a", "'=b", "'s", 'a;"b', "Zoë"].map((name) => ({
    name,
    categoryId: -2n,
    status: "sold" as const,
  }));
  await db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), { inOrder: true });
  await createCategoryStore(db).put({ id: -2n, name: "@Dogs" }, { atMs: 0 });
  await readOutput("shelters", "update", "1", "--name", "@Home");
  const file = join(folder, "excel.csv");
  await readOutput("export", file, "--excel", "--delimiter", ";");
  const names = ["'=1+1", "'+1", "'-1", "'@a", "''=b", "'s", '"a;""b"', "Zoë"];
  const others = semicolons(NO_PROFILE).replace(";1;", ";1;'@Home;");
  const rows = names.map((name, i) => `${i + 1};${name};-2;'@Dogs;sold${others}\r\n`);
  const last = "shelterId;shelterName;photos";
  const head = `\uFEFFid;name;categoryId;categoryName;status;${semicolons(PROFILE_HEAD)};${last}\r\n`;
  assert.equal(readFileSync(file, "utf8"), head + rows.join(""));
  await readOutput("export", file, "--force", "--delimiter", "tab");
  assert.match(readFileSync(file, "utf8"), /^id\tname\tcategoryId\tstatus\t.*\n1\t=1\+1\t-2\tsold\t+1\t\n/);
});

test("import keeps an apostrophe before a formula without --excel, and says so", async (t) => {
  const store = await makeStore(t);
  const file = join(store.folder, "guarded.csv");
  writeFileSync(file, "name,categoryId\n'=1+1,1\n's,1\n");
  const note = /\n1 name with an apostrophe before a formula character: --excel removes it if /;
  assert.match(await store.readOutput("import", file), note);
  const names = (await read(store)).map(({ name }) => name);
  assert.deepEqual(names, ["'=1+1", "'s"]);
});

test("export leaves no file when it fails", async (t) => {
  const folder = makeFolder(t);
  const { assertRefused } = commandsIn({ DATABASE_URL: "postgres://user@127.0.0.1:9/x" });
  const says = /^animal-store: The database cannot be used: .*\n$/;
  await assertRefused(["export", join(folder, "broken.csv")], says);
  assert.deepEqual(readdirSync(folder), []);
});

test("export replaces a read-only file, and two at the same time do not disturb each other", async (t) => {
  const { folder, environment } = await makeRex(t);
  const file = join(folder, "shared.csv");
  writeFileSync(file, "old", { mode: 0o400 });
  // As a killed process leaves it; no machine has this process id.
  writeFileSync(`${file}.999999999.partial`, "half of it");
  const run = () => runCommand(["export", file, "--force"], environment);
  for (const { code, stderr } of await Promise.all([run(), run()])) assert.equal(code, 0, stderr);
  assert.equal(readFileSync(file, "utf8"), REX_FILE);
  assert.deepEqual(filesOf(folder, "shared"), ["shared.csv"]);
});

test("export refuses wrong targets and options with how to correct them", async (t) => {
  const { folder, assertRefused } = await makeStore(t);
  const noFile = /exists and is not a file\. Choose another name/;
  const cases: Array<[args: string[], code: number, says: RegExp]> = [
    [[folder, "--format", "csv", "--force"], 1, noFile],
    [[join(folder, "none", "a.csv")], 1, /There is no folder \S+none\. Create it/],
    [[join(folder, "store.db"), "--format", "csv", "--force"], 1, /is the store itself/],
    [["-", "--status", "lost"], 2, /--status must be one of available/],
    [["-", "--json"], 2, /--json needs a FILE/],
    [["-", "--excel"], 2, /--excel is for CSV files: .*--format csv/],
    [["a.ndjson", "--delimiter", ";"], 2, /--delimiter is for CSV files/],
    [[], 2, /FILE is missing/],
  ];
  for (const [args, code, says] of cases) {
    const { stdout } = await assertRefused(["export", ...args], says, code);
    assert.equal(stdout, "");
  }
});
