// `import` names the columns that it does not read, with those that may be meant.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeSample } from "../../src/cli/sample-pets.ts";
import type { IgnoredColumn } from "../../src/transfer/formats/columns.ts";
import { makeStore } from "./stores.ts";

const ID_NOTE =
  /^"id" is not read: the store gives the ids\. A row changes an animal only by its externalId; /m;

test("import names the columns that it does not read", async (t) => {
  const { folder, command } = await makeStore(t);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const csv = write(
    "typos.csv",
    "id;Name;categoryId;speces;fee;goodwith.kids;Chip number;photos;size;\n7;Rex;1;dog;5;yes;9;a.jpg;small;\n",
  );
  const line = [
    '"speces" (did you mean "species"?)',
    '"fee" (did you mean "fee.amount" or "fee.currency"?)',
    '"goodwith.kids" (did you mean "goodWith.children" or "goodWith.dogs" or "goodWith.cats"?)',
    '"Chip number"',
    '"photos" (--photos FOLDER adds the files that it names)',
  ].join(", ");

  for (const flags of [["--dry-run"], []]) {
    await t.test(`in the result ${flags}`, async () => {
      const { code, stdout } = await command("import", csv, ...flags);
      assert.equal(code, 0);
      assert.ok(stdout.includes(`\nColumns that are not read: ${line}.\n`), stdout);
      assert.match(stdout, ID_NOTE);
    });
  }

  await t.test("with --json", async () => {
    const { ignoredColumns } = JSON.parse((await command("import", csv, "--dry-run", "--json")).stdout);
    assert.deepEqual(ignoredColumns.slice(0, 3), [
      { name: "id", meant: [] },
      { name: "speces", meant: ["species"] },
      { name: "fee", meant: ["fee.amount", "fee.currency"] },
    ]);
  });

  await t.test("and says nothing if all are read", async () => {
    const file = write("all.csv", "Animal,categoryId\nRex,1\n");
    const { stdout } = await command("import", file, "--dry-run", "--map", "name=Animal");
    assert.doesNotMatch(stdout, /not read/);
  });

  await t.test("of NDJSON, where they are members", async () => {
    const file = write(
      "typos.ndjson",
      '{"name":"Rex","categoryId":1,"staus":"sold"}\n{"id":1,"name":"Rex","categoryId":1,"profile":{"speces":"dog"}}\n',
    );
    const { stdout } = await command("import", file, "--dry-run");
    const members =
      'Members that are not read: "staus" (did you mean "status"?), "profile.speces" (did you mean "profile.species"?).';
    assert.ok(stdout.includes(`\n${members}\n`), stdout);
    assert.match(stdout, ID_NOTE);
  });

  await t.test("of NDJSON at every level, without those that the file has", async () => {
    const file = write(
      "levels.ndjson",
      `{"name":"Rex","Tier":"Rex","categoryId":1,"profile.species":"dog","names":1,"profile":{"species":"dog","foo":1,
        "goodWith":{"kids":"yes"},"fee":{"amount":1,"currency":"EUR","amont":2}}}`.replaceAll("\n", "") +
        "\n",
    );
    const read = async (...flags: string[]) => {
      const { stdout, stderr } = await command("import", file, "--dry-run", "--json", ...flags);
      const { ignoredColumns } = JSON.parse(stdout || assert.fail(stderr));
      return Object.fromEntries(ignoredColumns.map(({ name, meant }: IgnoredColumn) => [name, meant]));
    };
    const companions = ["children", "dogs", "cats"].map((each) => `profile.goodWith.${each}`);
    const inProfile = { "profile.foo": [], "profile.goodWith.kids": companions, "profile.fee.amont": [] };
    const flat = { "profile.species": [] };
    assert.deepEqual(await read(), { Tier: [], ...flat, names: [], ...inProfile });
    assert.deepEqual(await read("--map", "name=Tier"), { name: [], ...flat, names: [], ...inProfile });
  });

  await t.test("of an export, only the id and the photos", async () => {
    for (const name of ["out.csv", "out.ndjson"]) {
      const path = join(folder, name);
      assert.equal((await command("export", path)).code, 0);
      const { ignoredColumns } = JSON.parse((await command("import", path, "--dry-run", "--json")).stdout);
      const names = ignoredColumns.map((each: { name: string }) => each.name);
      assert.deepEqual(names, name === "out.csv" ? ["id", "photos"] : ["id"]);
    }
  });
});

test("the sample file of README is imported with all its columns", async (t) => {
  const { command } = await makeStore(t);
  const file = join(import.meta.dirname, "../../sample/animals.csv");
  const { code, stdout } = await command("import", file, "--create-categories", "--json");
  assert.equal(code, 0);
  const { animals, bad, ignoredColumns, createdCategories } = JSON.parse(stdout);
  assert.deepEqual([animals, bad, ignoredColumns, createdCategories.length], [3, 0, [], 3]);
  // Those that the command "sample" names, so that no name is in the list twice.
  const { categories } = makeSample(0);
  for (const { id, name } of createdCategories)
    assert.equal(categories.find((each) => each.name === name)?.id, BigInt(id));
  const { stdout: exported } = await command("export", "-");
  const [first] = exported.split("\n");
  assert.equal(JSON.parse(first ?? "").profile.breeds.length, 2);
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  assert.match(readme, /^npm run -s animal-store -- import sample\/animals\.csv --create-categories$/m);
});
