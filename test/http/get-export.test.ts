// getExport: the files of aggregators over HTTP.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openDatabase } from "../../src/engines.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { startApp } from "../harness/servers/app.ts";
import {
  addAnimals,
  addPhotos,
  EXPORT_MS,
  GOOD_ANIMALS,
  OTHER_ANIMALS,
} from "../unit/transfer/aggregator-animals.ts";
import { assertError } from "./assertions.ts";

const GOLDEN = join(import.meta.dirname, "../fixtures/export");

async function startScene(t: TestContext, animals: Parameters<typeof addAnimals>[1]) {
  const environment = { PUBLIC_URL: "https://animals.example.org" };
  const app = await startApp(t, { startMs: EXPORT_MS, environment });
  const db = await openDatabase(readConfig(app.engines), false, { deadlineMs: PATIENT_DATABASE_MS });
  t.after(() => db.close());
  await addAnimals(db, animals);
  return { ...app, db };
}

/** The first cell of each row after the heading. */
const idsOf = (csv: string) =>
  csv
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((row) => Number(row.split(",")[0]));

test("GET /exports/{file}", async (t) => {
  const { call, db } = await startScene(t, GOOD_ANIMALS);
  await addPhotos(db, Buffer.from("x"));

  for (const name of ["petfinder.csv", "adoptapet.csv", "rescuegroups.csv"])
    await t.test(`${name} has the bytes of the file that the command writes`, async () => {
      const { status, headers, text } = await call("GET", `/exports/${name}`);
      assert.deepEqual([status, headers["content-type"]], [200, "text/csv; charset=utf-8"]);
      assert.equal(headers["cache-control"], "private, no-cache");
      assert.equal(text, readFileSync(join(GOLDEN, name.replace("adoptapet", "pets")), "utf8"));
    });

  await t.test("HEAD has the same headers and no body", async () => {
    const { status, headers, text } = await call("HEAD", "/exports/petfinder.csv");
    assert.deepEqual([status, headers["content-type"], text], [200, "text/csv; charset=utf-8", ""]);
  });

  await t.test("another name is 404, another value of skip is 400", async () => {
    for (const name of ["petfinder", "petfinder.CSV", "pets.csv", "..%2fpetfinder.csv"])
      assertError(await call("GET", `/exports/${name}`), "route_not_found");
    assertError(
      await call("GET", "/exports/petfinder.csv?skip=1"),
      "invalid_parameter",
      /^skip must be true/,
    );
  });
});

test("GET /exports/{file} refuses animals that cannot be expressed, unless they are skipped", async (t) => {
  const bad = Array.from({ length: 3 }, () => OTHER_ANIMALS).flat();
  const { call } = await startScene(t, [...bad, ...GOOD_ANIMALS.slice(2, 5)]);
  const named =
    "1 \\(no species, no breed, sex neither male nor female\\), 2 \\(no species\\), 3 \\(no breed\\), ";
  const says = new RegExp(
    `^The file for Petfinder cannot express 12 animals: ${named}.*, 14 .* and 2 more\\. .*skip=true`,
  );
  const refused = await call("GET", "/exports/petfinder.csv");
  assertError(refused, "file_has_bad_rows", says);
  assert.equal(refused.json.message.match(/\d+ \(/g).length, 10);
  const { text } = await call("GET", "/exports/petfinder.csv?skip=true");
  assert.deepEqual(idsOf(text), [6, 12, 18, 19, 20, 21]);
  const rescue = await call("GET", "/exports/rescuegroups.csv?skip=true");
  assert.deepEqual(idsOf(rescue.text), [19, 20, 21], "names of 51 characters are left out, too");
});

test("GET /exports/{file} of a store without animals is an empty list", async (t) => {
  const { call } = await startScene(t, []);
  assert.deepEqual(idsOf((await call("GET", "/exports/rescuegroups.csv")).text), []);
  const { status, headers, text } = await call("GET", "/exports/adoptapet.csv");
  assert.deepEqual([status, headers["content-type"], text], [200, "text/csv; charset=utf-8", ""]);
});

test("a key of a shelter gets the animals of its shelter", async (t) => {
  const { call, createKey } = await startScene(t, [...GOOD_ANIMALS, ...OTHER_ANIMALS]);
  await call("POST", "/shelters", { body: { name: "Second" } });
  for (const id of [3, 6]) await call("PATCH", `/pets/${id}/profile`, { body: { shelterId: 2 } });
  const { key } = await createKey({ access: "manage", shelterId: 2 });
  const own = await call("GET", "/exports/petfinder.csv", { key });
  assert.deepEqual(idsOf(own.text), [3, 6]);
  await call("PATCH", "/pets/12/profile", { body: { shelterId: 2 } });
  const says = /cannot express 1 animal: 12 \(no breed\)\./;
  assertError(await call("GET", "/exports/petfinder.csv", { key }), "file_has_bad_rows", says);
});
