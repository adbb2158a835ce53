// `import` with several shelters: where animals go, and how a file moves them.

import assert from "node:assert/strict";
import { testOnStores } from "./stores.ts";

testOnStores("import with shelters", async (t, store) => {
  const { write, db, readOutput, readJson, assertRefused } = store;
  for (const name of ["Riverside", "Twin", "Twin"]) await readOutput("shelters", "create", "--name", name);
  const sheltersOf = async () => {
    const rows = await db.all("SELECT name, shelter_id FROM pets ORDER BY id");
    return rows.map((row) => Object.values(row).join(" "));
  };

  await t.test("new animals go to the shelter of their row, else to the first one", async () => {
    const csv = "name,categoryId,externalId,Tierheim-Nr.\nRex,1,A-1,2\nMia,1,A-2,\n";
    const report = await readJson("import", write("new.csv", csv));
    assert.deepEqual(report.preview[0].shelter, { id: 2, name: "Riverside" });
    assert.equal(report.preview[1].shelter.id, 1);
    assert.deepEqual([report.columns[3].member, report.columns[3].readAs], ["shelterId", "whole number"]);
    const ndjson = '{"name":"Tom","categoryId":1,"shelterId":3}\n{"name":"Ida","categoryId":1}\n';
    await readOutput("import", write("new.ndjson", ndjson));
    await readOutput("import", write("named.csv", "name,categoryId,shelterName\nZoe,1, riverSIDE \n"));
    assert.deepEqual(await sheltersOf(), ["Rex 2", "Mia 1", "Tom 3", "Ida 1", "Zoe 2"]);
  });

  await t.test("a row with shelterId moves a known animal, with an event and its history", async () => {
    const countUpdates = async () => (await readOutput("events")).match(/listing\.updated/g)?.length ?? 0;
    const before = await countUpdates();
    const file = write("move.csv", "externalId,shelterId\nA-1,1\nA-2,\n");
    const { added, updated, unchanged } = await readJson("import", file);
    assert.deepEqual({ added, updated, unchanged }, { added: 0, updated: 1, unchanged: 1 });
    assert.deepEqual((await sheltersOf()).slice(0, 2), ["Rex 1", "Mia 1"]);
    assert.match(await readOutput("events"), /listing\.updated +.*"name":"Rex".*"shelter":\{"id":1,/);
    await readOutput("import", file);
    assert.equal(await countUpdates(), before + 1);
  });

  await t.test("an unknown or ambiguous shelter is a bad row with the reason", async () => {
    const before = await sheltersOf();
    const rows = ["A-1,9,", "A-1,0,", "A-1,x,", "A-1,,Twin", "A-1,,Nowhere", "A-1,9223372036854775808,"];
    const reasons = [
      "no shelter has the id 9",
      "no shelter has the id 0",
      "shelterId must be an integer between -9223372036854775808 and 9223372036854775807",
      'several shelters have the name "Twin": give the shelterId',
      'no shelter has the name "Nowhere": give the shelterId',
      "shelterId must be an integer between -9223372036854775808 and 9223372036854775807",
    ];
    for (const [index, row] of rows.entries()) {
      const file = write(`bad${index}.csv`, `externalId,shelterId,shelterName\n${row}\n`);
      const { stdout } = await assertRefused(["import", file], /cannot be imported/);
      assert.ok(`${stdout}`.includes(reasons[index] as string), stdout);
    }
    const nothing = write("null.ndjson", '{"name":"Nix","categoryId":1,"shelterId":null}\n');
    assert.ok(
      (await assertRefused(["import", nothing], /cannot be imported/)).stdout.includes("shelterId must"),
    );
    assert.deepEqual(await sheltersOf(), before);
  });
});
