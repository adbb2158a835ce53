// importAnimals with the importer of the service: what becomes of the rows, and what others see of it.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { IMPORT_ROWS_MAX } from "../../src/domain/basics/request-limits.ts";
import { startApp } from "../harness/servers/app.ts";
import { assertError } from "./assertions.ts";

async function startScene(t: TestContext) {
  const app = await startApp(t);
  const { id, key } = await app.createKey({ plan: "business" });
  const send = (body: string | Buffer, { query = "", settings = {}, type = "text/csv" } = {}) =>
    app.call("POST", `/imports?settings=${encodeURIComponent(JSON.stringify(settings))}${query}`, {
      body,
      key,
      headers: { "content-type": type },
    });
  const listNames = async () =>
    (await app.call("GET", "/pets", { key })).json.map(({ name }: { name: string }) => name);
  return { ...app, keyId: id, key, send, listNames };
}

const ANIMALS = "name,categoryId,externalId,sex\nRex,3,A-1,m\nMinka,4,A-2,w\n";

test("POST /imports", async (t) => {
  const { call, send, listNames, keyId, key } = await startScene(t);

  await t.test("a dry run says what would become of the rows, and writes nothing", async () => {
    const { status, json } = await send(ANIMALS, { query: "&dryRun=true" });
    const { isDryRun, rows, added, preview, columns, settings } = json;
    assert.deepEqual([status, isDryRun, rows, added], [200, true, 2, 2]);
    assert.deepEqual([preview[1].name, preview[1].profile], ["Minka", { sex: "female", externalId: "A-2" }]);
    assert.deepEqual(columns[3].samples, ["m", "w"]);
    assert.deepEqual([settings.dateOrder, settings.skipBad], ["auto", false]);
    assert.deepEqual(await listNames(), []);
  });

  await t.test("rows become animals, which the next list shows", async () => {
    assert.deepEqual(await listNames(), [], "the list is cached");
    const { status, json } = await send(ANIMALS);
    const { rows, added, updated, unchanged, bad } = json;
    assert.deepEqual([status, rows, added, updated, unchanged, bad], [200, 2, 2, 0, 0, 0]);
    assert.deepEqual(await listNames(), ["Rex", "Minka"]);
  });

  await t.test("the same file again adds nothing", async () => {
    const { json } = await send(ANIMALS);
    assert.deepEqual([json.added, json.unchanged], [0, 2]);
    assert.deepEqual(await listNames(), ["Rex", "Minka"]);
  });

  await t.test("a row with a known externalId changes its animal, only where it has a value", async () => {
    const { json } = await send("Name;SHELTERCODE;Sex;Size\nRexi;A-1;;large\n");
    assert.deepEqual([json.added, json.updated], [0, 1]);
    const { name, profile } = (await call("GET", "/listings/1")).json;
    assert.deepEqual([name, profile], ["Rexi", { sex: "male", size: "large", externalId: "A-1" }]);
  });

  await t.test("one bad row refuses the file with 409; with skipBad the others are imported", async () => {
    const file = "name,categoryId,sex\nBella,3,f\nTom,3,tomcat\n";
    const says =
      /^1 of 2 rows cannot be imported, so nothing was imported\. The first is on line 3: sex must be/;
    assertError(await send(file), "file_has_bad_rows", says);
    assert.deepEqual(await listNames(), ["Rexi", "Minka"]);
    const { json } = await send(file, { settings: { skipBad: true } });
    assert.deepEqual([json.added, json.bad], [1, 1]);
    const [problem] = json.problems;
    assert.deepEqual([problem.line, problem.heading, problem.value], [3, "sex", "tomcat"]);
    assert.deepEqual(await listNames(), ["Rexi", "Minka", "Bella"]);
  });

  await t.test("the charset of the type, tabs and NDJSON are read", async () => {
    const latin = Buffer.from("name,categoryId\nJürgen,3\n", "latin1");
    const files: Array<[file: string | Buffer, type: string]> = [
      [latin, "text/csv; charset=windows-1252"],
      ["name\tcategoryId\nTab\t3\n", "text/tab-separated-values"],
      ['{"name":"Jason","categoryId":3}\n', "application/x-ndjson"],
    ];
    for (const [file, type] of files) {
      const { json, text } = await send(file, { type });
      assert.equal(json.added, 1, text);
    }
    assert.deepEqual((await listNames()).slice(-3), ["Jürgen", "Tab", "Jason"]);
  });

  await t.test("the apostrophe before a formula of an exported table is removed", async () => {
    await send("name,categoryId\n'=A1,3\n'Tis,3\n");
    await send(`{"name":"'=A2","categoryId":3}\n`, { type: "application/x-ndjson" });
    assert.deepEqual((await listNames()).slice(-3), ["=A1", "'Tis", "'=A2"]);
  });

  await t.test("history and audit log name the key, and no file, because an upload has no name", async () => {
    const [change] = (await call("GET", "/pets/1/history", { key })).json;
    assert.equal(change.keyId, keyId);
    const records: Array<{ action: string }> = (await call("GET", "/audit?limit=100")).json;
    const first = records.findLast(({ action }) => action === "data.imported") ?? assert.fail();
    const { number, timestamp, ...rest } = first as Record<string, unknown>;
    const to = { pets: 2, firstId: 1, lastId: 2 };
    assert.deepEqual(rest, { action: "data.imported", actor: { keyId }, to });
  });
});

test("POST /imports refuses files that it cannot read", async (t) => {
  const { send } = await startScene(t);

  const refused: Record<string, [code: Parameters<typeof assertError>[1], body: string, settings?: object]> =
    {
      "an empty file": ["invalid_file", ""],
      "a heading of 1,001 characters": ["invalid_file", `name,se${"_".repeat(998)}x\nRex,m\n`],
      "a web page": ["invalid_file", "<!doctype html>\n<title>Animals</title>\n"],
      "zero bytes": ["invalid_file", "\0".repeat(1_000)],
      "an unclosed quote": ["invalid_file", 'name,categoryId\n"Rex,3\n'],
      "a heading that the file lacks": [
        "invalid_parameter",
        "name,categoryId\nRex,3\n",
        { map: { sex: "Sexe" } },
      ],
      "a member that does not exist": [
        "invalid_parameter",
        "name,categoryId\nRex,3\n",
        { map: { wings: "name" } },
      ],
      "another encoding": ["invalid_parameter", "name,categoryId\nRex,3\n", { encoding: "ebcdic" }],
      "another delimiter": ["invalid_parameter", "name,categoryId\nRex,3\n", { delimiter: "x" }],
    };
  for (const [what, [code, body, settings = {}]] of Object.entries(refused))
    await t.test(`refuses ${what} with ${code}`, async () => {
      for (const query of ["", "&dryRun=true", "&progress=true"])
        assertError(await send(body, { settings, query }), code);
    });

  await t.test("refuses more than 500,000 rows with invalid_file", async () => {
    const answer = await send(`name\n${"a\n".repeat(IMPORT_ROWS_MAX + 1)}`);
    assertError(answer, "invalid_file", /^The file has more than 500,000 rows\. Send it in parts/);
  });

  await t.test("a file with headings only is 200 with no rows", async () => {
    const { status, json } = await send("name,categoryId\n");
    assert.deepEqual([status, json.rows, json.added], [200, 0, 0]);
  });
});

test("POST /imports with progress=true sends lines, then the report", async (t) => {
  const { send } = await startScene(t);
  const rows = Array.from({ length: 450 }, (_, index) => `Pet ${index},3`);
  const { status, headers, text } = await send(`name,categoryId\n${rows.join("\n")}\n`, {
    query: "&progress=true",
  });
  assert.deepEqual([status, headers["content-type"]], [200, "application/x-ndjson"]);
  const lines = text.trim().split("\n");
  assert.equal(JSON.parse(lines.at(-1) ?? "").report.added, 450);
  assert.deepEqual(JSON.parse(lines[0] ?? ""), { progress: { rows: 0 } });
});
