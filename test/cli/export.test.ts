// `export`: all animals as they are at one moment, exact enough for `import` to restore them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { PetStatus } from "../../src/domain/animals/pet.ts";
import { type Profile, reviseProfile } from "../../src/domain/animals/profile.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { addPets, createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createPhotoStore } from "../../src/storage/stores/animals/photos.ts";
import { runInHost } from "../harness/clients/commands.ts";
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
  "externalId,species,breeds,mixed,sex,bornOn,bornIsEstimated,size,colors,coat,goodWith.children,goodWith.dogs,goodWith.cats,neutered,vaccinated,houseTrained,specialNeeds,description,fee.amount,fee.currency,arrivedOn,videoUrl,tags,photos";
const HEAD = `id,name,categoryId,status,${PROFILE_HEAD}`;
const NO_PROFILE = PROFILE_HEAD.replaceAll(/[^,]/g, "").concat(",");
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
  const { command, folder, environment } = store;

  for (const ending of ["csv", "ndjson"]) {
    await t.test(`to ${ending} and back gives the same animals`, async () => {
      const file = join(folder, `out.${ending}`);
      const result = await command("export", file);
      assert.deepEqual([result.stdout, result.stderr], [`Exported: 3500 animals to ${file}.\n`, ""]);
      const isServer = environment.DATABASE_URL.startsWith("postgres");
      const other = await makeStore(t, isServer ? await takePostgresStore(t) : undefined);
      assert.equal((await other.command("import", file)).code, 0);
      assert.deepEqual(await read(other), await read(store));
    });
  }

  for (const flags of [["--excel"], ["--excel", "--delimiter", ";"]]) {
    await t.test(`with ${flags.join(" ")} and back gives the same animals and categories`, async () => {
      await createCategoryStore(store.db).put({ id: -1n, name: "=Dogs" }, { atMs: 0 });
      const file = join(folder, `${flags.length}.csv`);
      assert.equal((await command("export", file, ...flags)).code, 0);
      const isServer = environment.DATABASE_URL.startsWith("postgres");
      const other = await makeStore(t, isServer ? await takePostgresStore(t) : undefined);
      const result = await other.command("import", file, "--excel", "--create-categories");
      assert.match(result.stdout, /\nCreated categories: -1 "=Dogs"\.\n/, result.stderr);
      assert.deepEqual(await read(other), await read(store));
    });
  }

  await t.test("writes only one status, to standard output", async () => {
    const { stdout } = await command("export", "-", "--status", "sold");
    const pets = stdout.trimEnd().split("\n");
    assert.equal(pets.length, 1_166);
    assert.equal(pets[0], '{"id":3,"name":"say \\"hi\\"","categoryId":-2,"status":"sold"}');
    const csv = (await command("export", "-", "--format", "csv")).stdout.split("\n");
    assert.deepEqual(csv.slice(0, 3), [
      HEAD,
      `1,Rex,0,available${NO_PROFILE}`,
      `2,"a,b",-1,pending${NO_PROFILE}`,
    ]);
    assert.equal(csv[8], `8,line\u2028separator,9223372036854775807,pending${NO_PROFILE}`);
  });
});

/** A store with one animal. */
async function makeScene(t: TestContext) {
  const store = await makeStore(t);
  await createPetStore(store.db).create({ name: "Rex", categoryId: 1n, status: "sold" }, { atMs: 1 });
  return { ...store, file: join(store.folder, "out.csv") };
}

test("export writes the address of the largest file of each photo, in order", async (t) => {
  const other = await makeStore(t);
  const { id } = await createPetStore(other.db).create(
    { name: "Rex", categoryId: 1n, status: "sold" },
    { atMs: 1 },
  );
  const photos = createPhotoStore(other.db);
  const hashes = ["b", "a"].map((digit) => digit.repeat(64));
  for (const hash of hashes) {
    const variants = [640, 320].map((width) => ({ width, height: 10, bytes: Buffer.from("x") }));
    await photos.storeImage(id, { hash, width: 700, height: 10, variants }, 1);
    await photos.add(id, { hash, alt: "" }, { atMs: 1 });
  }
  const urls = hashes.map((hash) => `https://shelter.example/photos/${hash}-640.webp`);
  const environment = { ...other.environment, PUBLIC_URL: "https://shelter.example" };
  const json = await runInHost(["export", "-"], environment);
  assert.deepEqual(JSON.parse(json.stdout).photos, urls);
  const csv = await runInHost(["export", "-", "--format", "csv"], environment);
  assert.ok(csv.stdout.endsWith(`,"${urls.join("; ")}"\n`), csv.stdout);
  const local = await other.command("export", "-");
  assert.match(local.stdout, /"photos":\["\/photos\/b{64}-640\.webp",/);
  const file = join(other.folder, "photos.ndjson");
  writeFileSync(file, json.stdout);
  const again = await other.command("import", file, "--dry-run");
  assert.equal(again.code, 0, "an import ignores the addresses");
});

test("export replaces a file only with --force, and leaves no other file", async (t) => {
  const { command, file, folder } = await makeScene(t);
  writeFileSync(file, "mine");
  const refused = await command("export", file);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /out\.csv exists already\. Choose another name, or replace it with --force/);
  assert.equal(readFileSync(file, "utf8"), "mine");
  const { stdout } = await command("export", file, "--force", "--json");
  assert.deepEqual(JSON.parse(stdout), { file, animals: 1 });
  assert.equal(readFileSync(file, "utf8"), `${HEAD}\n1,Rex,1,sold${NO_PROFILE}\n`);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("out")),
    ["out.csv"],
  );
});

test("export writes CSV for Excel: byte order mark, CRLF, names of categories, no formulas", async (t) => {
  const excel = await makeStore(t);
  const pets = ["=1+1", "+1", "-1", "@a", "'=b", "'s", 'a;"b', "Zoë"].map((name) => ({
    name,
    categoryId: -2n,
    status: "sold" as const,
  }));
  await excel.db.transaction((tx) => addPets(tx, pets, { atMs: 1 }), { inOrder: true });
  await createCategoryStore(excel.db).put({ id: -2n, name: "@Dogs" }, { atMs: 0 });
  const target = join(excel.folder, "excel.csv");
  await excel.command("export", target, "--excel", "--delimiter", ";");
  const names = ["'=1+1", "'+1", "'-1", "'@a", "''=b", "'s", '"a;""b"', "Zoë"];
  const rows = names.map((name, i) => `${i + 1};${name};-2;'@Dogs;sold${semicolons(NO_PROFILE)}\r\n`);
  const text = readFileSync(target, "utf8");
  assert.equal(
    text,
    `\uFEFFid;name;categoryId;categoryName;status;${semicolons(PROFILE_HEAD)}\r\n${rows.join("")}`,
  );
  await excel.command("export", target, "--force", "--delimiter", "tab");
  assert.match(readFileSync(target, "utf8"), /^id\tname\tcategoryId\tstatus\t.*\n1\t=1\+1\t-2\tsold\t+\n/);
});

test("import keeps such an apostrophe without --excel, and says so", async (t) => {
  const other = await makeStore(t);
  const { folder } = other;
  const source = join(folder, "guarded.csv");
  writeFileSync(source, "name,categoryId\n'=1+1,1\n's,1\n");
  const { stdout } = await other.command("import", source);
  assert.match(stdout, /\n1 name with an apostrophe before a formula character: --excel removes it if /);
  assert.deepEqual(
    (await read(other)).map(({ name }) => name),
    ["'=1+1", "'s"],
  );
});

test("export leaves no file behind when it fails", async (t) => {
  const { folder } = await makeScene(t);
  const broken = join(folder, "broken.csv");
  const result = await runInHost(["export", broken], { DATABASE_URL: "postgres://user@127.0.0.1:9/x" });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /^animal-store: The database cannot be used: .*\n$/);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("broken")),
    [],
  );
});

test("export replaces a read-only file, and two exports at the same time do not disturb each other", async (t) => {
  const { environment, folder } = await makeScene(t);
  const target = join(folder, "shared.csv");
  writeFileSync(target, "old", { mode: 0o400 });
  // As a killed process leaves it; no machine has this process id.
  writeFileSync(`${target}.999999999.partial`, "half of it");
  const results = await Promise.all(
    Array.from({ length: 2 }, () => runCommand(["export", target, "--force"], environment)),
  );
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0],
    results.map(({ stderr }) => stderr).join(),
  );
  assert.equal(readFileSync(target, "utf8"), `${HEAD}\n1,Rex,1,sold${NO_PROFILE}\n`);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("shared")),
    ["shared.csv"],
  );
});

test("export refuses a target or an option that it cannot use, and says what to do", async (t) => {
  const { command, folder } = await makeStore(t);
  const refused: Record<string, { args: string[]; code: number; says: RegExp }> = {
    "a folder as target": {
      args: [folder, "--format", "csv", "--force"],
      code: 1,
      says: /exists and is not a file\. Choose another name/,
    },
    "a missing folder": {
      args: [join(folder, "none", "a.csv")],
      code: 1,
      says: /There is no folder \S+none\. Create it/,
    },
    "the store itself": {
      args: [join(folder, "store.db"), "--format", "csv", "--force"],
      code: 1,
      says: /is the store itself/,
    },
    "an unknown status": {
      args: ["-", "--status", "lost"],
      code: 2,
      says: /--status must be one of available/,
    },
    "--json on the same output": { args: ["-", "--json"], code: 2, says: /--json needs a FILE/ },
    "--excel for NDJSON": {
      args: ["-", "--excel"],
      code: 2,
      says: /--excel is for CSV files: .*--format csv/,
    },
    "--delimiter for NDJSON": {
      args: ["a.ndjson", "--delimiter", ";"],
      code: 2,
      says: /--delimiter is for CSV files/,
    },
    "no file": { args: [], code: 2, says: /FILE is missing/ },
  };
  for (const [what, { args, code, says }] of Object.entries(refused)) {
    await t.test(what, async () => {
      const result = await command("export", ...args);
      assert.deepEqual([result.code, result.stdout], [code, ""]);
      assert.match(result.stderr, says);
    });
  }
});
