// `import` shows how each column was read, and those that it does not read, with members that may be meant.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeSample } from "../../src/cli/sample-pets.ts";
import type { ImportColumn } from "../../src/domain/animals/animal-import.ts";
import { makeStore } from "./stores.ts";

const ID_NOTE =
  /^"id" is not read: the store gives the ids\. A row changes an animal only by its externalId; /m;

/** The columns that are not read, with the member that may be meant. */
function ignoredIn(stdout: string): Record<string, string> {
  const { columns } = JSON.parse(stdout) as { columns: ImportColumn[] };
  return Object.fromEntries(
    columns.flatMap(({ heading, member, readAs }) => (member === null ? [[heading, readAs]] : [])),
  );
}

test("import shows the columns that it does not read", async (t) => {
  const { folder, command, write } = await makeStore(t);
  const csv = write(
    "typos.csv",
    "id;Name;categoryId;speces;Chip number;photos;size;\n7;Rex;1;dog;9;a.jpg;small;\n",
  );

  for (const flags of [["--dry-run"], []]) {
    await t.test(`in the result ${flags}`, async () => {
      const { code, stdout } = await command("import", csv, ...flags);
      assert.equal(code, 0);
      assert.match(stdout, /^speces {2,}ignored; perhaps species {2,}"dog"$/m);
      assert.match(stdout, /^Chip number {2,}ignored {2,}"9"$/m);
      assert.match(
        stdout,
        /^photos {2,}ignored; --photos FOLDER adds the files that it names, --photos-from-urls the photos at its addresses/m,
      );
      assert.match(stdout, /^size {2,}size \(word for size\) {2,}"small"$/m);
      assert.match(stdout, ID_NOTE);
    });
  }

  await t.test("with --json", async () => {
    const { stdout } = await command("import", csv, "--dry-run", "--json");
    assert.deepEqual(ignoredIn(stdout), {
      id: "ignored",
      speces: "ignored; perhaps species",
      "Chip number": "ignored",
      photos: "ignored",
    });
  });

  await t.test("--ignore leaves a column out", async () => {
    const file = write("ignore.csv", "Animal Name,Size,categoryId\nRex,enormous,1\n");
    const { code, stdout } = await command("import", file, "--dry-run", "--json", "--ignore", "size");
    assert.equal(code, 0);
    assert.deepEqual(ignoredIn(stdout), { Size: "ignored" });
  });

  await t.test("--ignore leaves a member of NDJSON out by its path", async () => {
    const file = write(
      "typos.ndjson",
      '{"name":"Rex","categoryId":1,"staus":"sold"}\n{"id":1,"name":"Rex","categoryId":1,"profile":{"goodWith":{"kids":"yes"}}}\n',
    );
    const { stdout } = await command("import", file, "--dry-run", "--json");
    assert.deepEqual(ignoredIn(stdout), {
      staus: "ignored; perhaps status",
      id: "ignored",
      "profile.goodWith.kids": "ignored",
    });
  });

  await t.test("of an export, only the id and the photos", async () => {
    for (const name of ["out.csv", "out.ndjson"]) {
      const path = join(folder, name);
      assert.equal((await command("export", path)).code, 0);
      const { stdout } = await command("import", path, "--dry-run", "--json");
      assert.deepEqual(Object.keys(ignoredIn(stdout)), name === "out.csv" ? ["id", "photos"] : ["id"]);
    }
  });
});

test("the sample file of README is imported with all its columns", async (t) => {
  const { command, db } = await makeStore(t);
  const file = join(import.meta.dirname, "../../sample/animals.csv");
  const { code, stdout } = await command("import", file, "--create-categories", "--json");
  assert.equal(code, 0);
  const { added, bad } = JSON.parse(stdout);
  assert.deepEqual([added, bad, ignoredIn(stdout)], [3, 0, {}]);
  const created = await db.all("SELECT id, name FROM categories");
  assert.equal(created.length, 3);
  // Those that the command "sample" names, so that no name is in the list twice.
  const { categories } = makeSample(0);
  for (const { id, name } of created) assert.equal(categories.find((each) => each.name === name)?.id, id);
  const { stdout: exported } = await command("export", "-");
  const [first] = exported.split("\n");
  assert.equal(JSON.parse(first ?? "").profile.breeds.length, 2);
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  assert.match(readme, /^npm run -s animal-store -- import sample\/animals\.csv --create-categories$/m);
});
