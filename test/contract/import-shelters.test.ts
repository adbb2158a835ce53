// Imports with several shelters: a key of a shelter imports only its animals, which is checked before the first row is
// written and again with each batch.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemClock } from "../../src/domain/basics/clock.ts";
import type { Database } from "../../src/storage/database.ts";
import { createAnimalImporter } from "../../src/transfer/import/importer.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { requestFor, SETTINGS } from "../unit/transfer/rows.ts";
import { testOnEngines } from "./engines.ts";
import { createShelterScene, readTables } from "./shelter-scene.ts";

/** The service writes at most this many rows at a time. */
const BATCH_MAX = 100;
const HEAD = "name,categoryId,externalId,shelterId\n";

async function createScene(t: TestContext, db: Database) {
  const scene = createShelterScene(db);
  const { addKey, addShelter, shelters } = scene;
  const [own, other] = [await addShelter(), await addShelter()];
  await shelters.update(other, { name: "South" }, { ...stampAt(1), access: "admin" });
  const [ownKey, networkKey] = [await addKey(own), await addKey()];
  const folder = makeFolder(t);
  let files = 0;
  const run = (text: string, keyId: bigint, { isDryRun = false, changed = async () => {} } = {}) => {
    files += 1;
    const path = join(folder, `${files}.csv`);
    writeFileSync(path, text);
    const importAnimals = createAnimalImporter(db, { clock: systemClock, changed });
    return importAnimals(requestFor(path, { isDryRun, origin: { atMs: 0, keyId } }));
  };
  const countIn = async (id: bigint) =>
    Number((await db.first("SELECT count(*) AS n FROM pets WHERE shelter_id = $1", [id]))?.n);
  const rowsOf = (length: number, shelterId: bigint | string) =>
    Array.from({ length }, (_, i) => `Pet ${i},1,,${shelterId}\n`).join("");
  return { ...scene, own, other, ownKey, networkKey, folder, run, countIn, rowsOf };
}

testOnEngines("The importer with shelters", async (t, db) => {
  const { addKey, orders, own, other, ownKey, networkKey, folder, run, countIn } = await createScene(t, db);

  await t.test("a key of a shelter adds animals to its shelter, also where the row names it", async () => {
    const report = await run(`${HEAD}Rex,1,own-1,\nMia,1,own-2,${own}\n`, ownKey);
    assert.deepEqual(
      report.preview.map(({ shelter }) => shelter.id),
      [own, own],
    );
    assert.equal(await countIn(own), 2);
    await run(`${HEAD}Tom,1,other-1,${other}\nIda,1,first-1,\n`, networkKey);
    assert.deepEqual([await countIn(other), await countIn(1n)], [1, 1]);
  });

  const foreign = /belongs to another shelter: 3$/;
  const ofKey = /^the API key belongs to shelter 2, and imports only animals of this one$/;
  const bad: Record<string, [row: string, heading: string, value: string, message: RegExp]> = {
    "another shelterId for a new animal": [`New,1,,${other},`, "shelterId", "3", ofKey],
    "another shelterId for its own animal": [`,,own-1,${other},`, "shelterId", "3", ofKey],
    "another shelter's name": ["New,1,,,South", "shelterName", "South", ofKey],
    "the externalId of another shelter's animal": ["Tim,,other-1,,", "externalId", "other-1", foreign],
    "its own shelterId for another shelter's animal": [`,,other-1,${own},`, "externalId", "other-1", foreign],
    "an unknown shelter": ["New,1,,9,", "shelterId", "9", /^no shelter has the id 9$/],
  };
  for (const [what, [row, heading, value, message]] of Object.entries(bad))
    await t.test(`a row of such a key with ${what} is bad, and nothing changes`, async () => {
      const before = await readTables(db);
      const file = `name,categoryId,externalId,shelterId,shelterName\nGood,1,,,\n${row}\n`;
      const { problems } = await run(file, ownKey, { isDryRun: true });
      assert.deepEqual(problems, [{ line: 3, heading, value, message: problems[0]?.message }]);
      assert.match(problems[0]?.message ?? "", message);
      const refusal = /The first is on line 3: [^.]+\. A dry run lists them;/;
      await assert.rejects(run(file, ownKey), { code: "file_has_bad_rows", message: refusal });
      assert.deepEqual(await readTables(db), before);
    });

  await t.test("the reason of the store is one sentence in the refusal", async () => {
    const row = await db.first("SELECT id FROM pets WHERE external_id = 'own-1'");
    const order = await orders.create({ petId: row?.id as bigint }, { keyId: ownKey, atMs: 1 });
    const file = "externalId,status\nown-1,sold\n";
    const message = `The first is on line 2: The animal has an open order: deliver or cancel order ${order.id} first. A dry run`;
    await assert.rejects(run(file, ownKey), (error: Error) => error.message.includes(message));
  });

  await t.test("a file that another shelter's key has imported is new to a shelter", async () => {
    const key = await addKey(other);
    const counts = async (file: string, keyId: bigint) => {
      const { added, unchanged, bad } = await run(file, keyId, { isDryRun: true });
      if (bad === 0) await run(file, keyId);
      return { added, unchanged, bad };
    };
    const stray = "name,categoryId\nStray,1\n";
    for (const keyId of [ownKey, key, networkKey]) {
      assert.deepEqual(await counts(stray, keyId), { added: 1, unchanged: 0, bad: 0 });
      assert.deepEqual(await counts(stray, keyId), { added: 0, unchanged: 1, bad: 0 }, "the same key again");
    }
    const known = "name,categoryId,externalId\nRex,1,both\n";
    assert.deepEqual(await counts(known, ownKey), { added: 1, unchanged: 0, bad: 0 });
    assert.deepEqual(await counts(known, key), { added: 0, unchanged: 0, bad: 1 });
    assert.deepEqual(await counts(known, await addKey(own)), { added: 0, unchanged: 1, bad: 0 });
  });

  await t.test("such a key cannot create categories", async () => {
    const before = await readTables(db);
    const path = join(folder, "categories.csv");
    writeFileSync(path, "name,category\nRex,Dogs\n");
    const settings = { ...SETTINGS, createCategories: true };
    const importAnimals = createAnimalImporter(db, { clock: systemClock, changed: async () => {} });
    const request = requestFor(path, { settings, origin: { atMs: 0, keyId: ownKey } });
    await assert.rejects(importAnimals(request), { code: "other_shelter" });
    assert.deepEqual(await readTables(db), before);
  });
});

testOnEngines("An import during which a shelter changes", async (t, db) => {
  const { addKey, addShelter, moveKey, shelters, own, other, networkKey, run, countIn, rowsOf } =
    await createScene(t, db);

  await t.test("a key that moves to another shelter imports no further row of the first one", async () => {
    const key = await addKey(own);
    let written = 0;
    const changed = async () => {
      written = await countIn(own);
      await moveKey(key, other);
    };
    await assert.rejects(run(`${HEAD}${rowsOf(2 * BATCH_MAX, own)}`, key, { changed }), {
      code: "file_has_bad_rows",
      message:
        /while the file was imported, and the row on line \d+ does not fit any more: the API key belongs [^.]+\. The rows/,
    });
    assert.equal(await countIn(own), written);
  });

  await t.test("a shelter that is deleted during an import gets no animal", async () => {
    const gone = await addShelter();
    const file = `${HEAD}${rowsOf(BATCH_MAX, "")}${rowsOf(1, gone)}`;
    const changed = async () => void (await shelters.delete(gone, stampAt(3)));
    await assert.rejects(run(file, networkKey, { changed }), {
      code: "file_has_bad_rows",
      message: /no shelter has the identifier/,
    });
    assert.equal(await countIn(gone), 0);
  });
});
