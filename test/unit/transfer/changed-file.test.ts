// A file that changes between its check and its import: no row is written that was not checked.

import assert from "node:assert/strict";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { migrateStorage, withDatabase } from "../../../src/command-stores.ts";
import { readConfig } from "../../../src/config/config.ts";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import { importAnimals } from "../../../src/transfer/import/importer.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { requestFor } from "./rows.ts";

/** Several portions of the file. */
const ROWS = 6_000;
const NAME = "a".repeat(40);
const ROW = `${NAME},1\n`;
const HEAD = "name,categoryId\n";

/** Checks a file, changes it, and imports it. Resolves to the error of the import, if any, and the names in the store. */
async function importChanged(t: TestContext, change: (path: string) => void) {
  const folder = makeFolder(t);
  const config = readConfig({ DATABASE_URL: `sqlite:${join(folder, "store.db")}` });
  await migrateStorage(config);
  const path = join(folder, "animals.csv");
  writeFileSync(path, HEAD + ROW.repeat(ROWS));
  return withDatabase(config, async ({ db }) => {
    let ends = 0;
    const onStep = (done: number, total: number, what: string) => {
      if (what !== "bytes checked" || done < total) return;
      ends += 1;
      // The end of the file is reported a second time when nothing follows.
      if (ends === 2) change(path);
    };
    const options = { clock: systemClock, changed: async () => {}, batchRows: 1_000, onStep };
    const message = await importAnimals(db, requestFor(path), options).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const rows = await db.all("SELECT name, count(*) AS count FROM pets GROUP BY name");
    return { message, pets: rows.map(({ name, count }) => [name, Number(count)]) };
  });
}

/** The file with one row of the same length replaced. */
function replaceRow(at: number, row: string): (path: string) => void {
  return (path) => writeFileSync(path, HEAD + ROW.repeat(at) + row + ROW.repeat(ROWS - at - 1));
}

test("a row that is changed at the beginning of the file: nothing is imported", async (t) => {
  // Not allowed in a name: the row was valid when it was checked.
  const { message, pets } = await importChanged(t, replaceRow(1, `${"\u0001".repeat(40)},1\n`));
  assert.match(message ?? "", /The file was changed during the import: 0 rows were imported/);
  assert.deepEqual(pets, []);
});

const changes: Record<string, (path: string) => void> = {
  "a row that is changed at the end": replaceRow(ROWS - 1, `${"b".repeat(40)},1\n`),
  "rows that are added at the end": (path) => appendFileSync(path, `${"b".repeat(40)},1\n`),
  "rows that are removed at the end": (path) => truncateSync(path, HEAD.length + ROW.length * (ROWS / 2)),
};
for (const [what, change] of Object.entries(changes)) {
  test(`${what} of the file: only checked rows are imported`, async (t) => {
    const { message = "", pets } = await importChanged(t, change);
    const [, done] = /was changed during the import: (\d+) rows were imported/.exec(message) ?? [];
    assert.ok(Number(done) > 0 && Number(done) < ROWS, message);
    assert.deepEqual(pets, [[NAME, Number(done)]]);
  });
}
