// `import`: adds every good row once and lists every bad row, also when it is killed and run again.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { runInHost } from "../harness/clients/commands.ts";
import { PATIENT_MS } from "../harness/runner/patience.ts";
import { startNode } from "../harness/servers/node.ts";
import { startRedis } from "../harness/servers/redis.ts";
import { runCommand, startCommand } from "../harness/servers/service.ts";
import { takePostgresStore } from "../harness/servers/stores.ts";
import { makeStore, type TestStore, testOnStores } from "./stores.ts";

/** Fewer on PostgreSQL, which other tests use at the same time. */
const ROWS = { sqlite: 30_000, postgres: 8_000 };

const statusOf = (i: number) => ["available", "pending", "sold"][i % 3];
const rowOf = (i: number) => `"Pet ${i}, ""the 🐕""";${9_007_199_254_740_993n + BigInt(i)};${statusOf(i)}`;

function writeFile({ folder }: TestStore, name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

testOnStores("an import that is killed and run again while the service is in use", async (t, store) => {
  const { db, environment, command } = store;
  const total = ROWS[db.engine];
  const rows = Array.from({ length: total }, (_, i) => rowOf(i));
  const file = writeFile(store, "animals.csv", `Name;CategoryID;STATUS\r\n${rows.join("\r\n")}\r\n`);
  const count = async () =>
    Number((await db.first("SELECT count(*) AS n FROM pets WHERE category_id <> 1"))?.n);
  const service = await startNode(t, environment);
  const created: number[] = [];
  let isOver = false;
  let longestMs = 0;
  const write = async () => {
    while (!isOver) {
      const beganMs = performance.now();
      const answer = await service.call("POST", "/pets", { body: { name: "Meanwhile", categoryId: 1 } });
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      assert.equal(answer.status, 201, answer.text);
      created.push(answer.json.id);
      await pause(20);
    }
  };
  const writer = write();
  t.after(() => {
    isOver = true;
  });

  await t.test("is interrupted by kill -9", async () => {
    const { child, ended } = startCommand(["import", file], environment);
    while ((await count()) < total / 10) await pause(5);
    child.kill("SIGKILL");
    await ended;
    const done = await count();
    t.diagnostic(`killed after ${done} animals`);
    assert.ok(done < total, "it was killed before its end");
  });

  await t.test("continues where it stopped", async () => {
    const done = await count();
    const beganMs = performance.now();
    const result = await command("import", file, "--json");
    t.diagnostic(`${total - done} rows in ${Math.round(performance.now() - beganMs)} ms`);
    assert.equal(result.code, 0, result.stderr);
    const { animals, continuedAfter, badRows } = JSON.parse(result.stdout);
    assert.deepEqual(
      { animals, continuedAfter, badRows },
      { animals: total, continuedAfter: done, badRows: [] },
    );
    assert.equal(result.stderr, "", "no progress bar without a terminal");
  });

  await t.test("adds nothing the second time", async () => {
    const again = await command("import", file);
    assert.match(again.stdout, /^This file was imported before, at \S+: \d+ animals, .* Nothing was added/);
    assert.equal(again.code, 0);
    assert.equal(await count(), total);
  });

  await t.test("adds every row in order, counted and recorded without a gap", async () => {
    isOver = true;
    await writer;
    t.diagnostic(`the longest of ${created.length} writes meanwhile took ${Math.round(longestMs)} ms`);
    const pets = await db.snapshot((q) =>
      q.all("SELECT name, category_id, status FROM pets WHERE category_id <> 1 ORDER BY id"),
    );
    const found = pets.map(
      ({ name, category_id, status }) => `"${String(name).replaceAll('"', '""')}";${category_id};${status}`,
    );
    assert.deepEqual(found, rows);
    const all = total + created.length;
    const numbers = await db.first(
      "SELECT max(number) AS high, count(*) AS n FROM history WHERE what = 'pet.created'",
    );
    assert.deepEqual({ ...numbers }, { high: BigInt(all), n: BigInt(all) });
    const counted = await db.first("SELECT sum(pets) AS n FROM inventory");
    assert.equal(Number(counted?.n), all);
  });
});

test("imported animals are on the next page of every node that shares Redis", async (t) => {
  const store = await makeStore(t, await takePostgresStore(t));
  const redis = { REDIS_URL: (await startRedis(t)).url, REDIS_TIMEOUT_MS: PATIENT_MS };
  const service = await startNode(t, { ...store.environment, ...redis });
  const list = async () => (await service.call("GET", "/pets")).json.length;
  for (let animals = 1; animals <= 3; animals++) {
    const file = writeFile(store, `${animals}.ndjson`, `{"name":"Rex","categoryId":${animals}}\n`);
    let isOver = false;
    // Keeps the page cached until the import has ended.
    const reader = (async () => {
      for (; !isOver; await pause(5)) await list();
    })();
    await runInHost(["import", file], { ...store.environment, ...redis });
    assert.equal(await list(), animals);
    isOver = true;
    await reader;
  }
});

test("import", async (t) => {
  const store = await makeStore(t);
  const { db, command } = store;
  const count = async () => Number((await db.first("SELECT count(*) AS n FROM pets"))?.n);
  const list = async () =>
    (await db.all("SELECT name, category_id, status FROM pets ORDER BY id")).map((row) =>
      Object.values(row).join(" "),
    );
  const empty = () => db.transaction((tx) => tx.run("DELETE FROM pets"));

  const bad = Buffer.concat([
    Buffer.from('name,categoryId,status\nRex,3,\n,4,sold\n"zwö\nlines",5,sold\nLuna,1.5,lost\nTom,6\nZo'),
    Buffer.from([0xeb]),
    Buffer.from(
      `,7,sold\n\n"Max" x,8,sold\n${"x".repeat(256)},9,sold\n Mia , -9223372036854775808 , pending \n`,
    ),
  ]);
  const name =
    "name must be 1 to 255 characters after trimming white space at both ends, without control characters";
  const categoryId = "categoryId must be an integer between -9223372036854775808 and 9223372036854775807";
  const problems = [
    { line: 3, problem: "name is required" },
    { line: 4, problem: `${name} (the row ends on line 5)` },
    { line: 6, problem: `${categoryId}; status must be one of available, pending, sold` },
    { line: 7, problem: "the row has 2 fields, the first line has 3" },
    { line: 8, problem: "the row is not UTF-8" },
    { line: 10, problem: "text follows a closing quote" },
    { line: 11, problem: name },
  ];

  await t.test("lists every bad row of a CSV file with its line and writes nothing", async () => {
    const file = writeFile(store, "bad.csv", bad);
    for (const flags of [[], ["--dry-run"]]) {
      const result = await command("import", file, "--json", ...flags);
      assert.equal(result.code, 1);
      assert.deepEqual(JSON.parse(result.stdout), {
        result: "nothing written",
        rows: 9,
        bad: 7,
        badRows: problems,
        animals: 0,
        updated: 0,
        planned: { added: 2, updated: 0, unchanged: 0 },
        encoding: "utf-8",
        delimiter: ",",
        ignoredColumns: [],
        createdCategories: [],
        missingCategories: [],
      });
      assert.match(
        result.stderr,
        /^animal-store: 7 of 9 rows cannot be imported, so nothing was imported\. .*--skip-bad\.\n$/,
      );
    }
    const { stdout } = await command("import", file);
    assert.match(stdout, /^LINE {2}PROBLEM\n3 {5}name is required\n/);
    assert.match(
      stdout,
      /\n9 rows, 2 of them valid\. Nothing was written\.\nThe valid rows would add 2 animals\.\nThe file was read as UTF-8 with /,
    );
    assert.equal(await count(), 0);
  });

  await t.test("writes the good rows with --skip-bad, and lists the others", async () => {
    const result = await command("import", join(store.folder, "bad.csv"), "--skip-bad");
    assert.equal(result.code, 0);
    assert.match(result.stdout, /^11 +name must be/m);
    assert.match(result.stdout, /\nImported: 2 animals, with ids from 1 to 2\. Skipped: 7 bad rows\.\n/);
    assert.deepEqual(await list(), ["Rex 3 available", "Mia -9223372036854775808 pending"]);
    await empty();
  });

  await t.test("only counts bad rows after the first 10,000, and still writes the good ones", async () => {
    const lines = Array.from({ length: 10_003 }, () => "Rex;x");
    const file = writeFile(store, "many.csv", `name;categoryId\n${lines.join("\n")}\nMia;1\n`);
    const refused = await command("import", file);
    assert.match(refused.stdout, /\n10001 +categoryId .*\n… and 3 more\n\n10004 rows, 1 of them valid/);
    assert.match(
      refused.stderr,
      /^animal-store: 10003 of 10004 rows cannot be imported, so nothing was imported\./,
    );
    const { stdout } = await command("import", file, "--skip-bad", "--json");
    const { bad, badRows, animals } = JSON.parse(stdout);
    assert.deepEqual([bad, badRows.length, animals], [10_003, 10_000, 1]);
    await empty();
    const wrong = writeFile(store, "wrong.csv", "name;categoryId\nRex;x\n");
    assert.match(
      (await command("import", wrong)).stderr,
      /Correct the file, or check --map, --encoding and --delimiter\.\n$/,
    );
  });

  await t.test("adds a file once when two commands import it at the same time", async () => {
    const rows = Array.from({ length: 100 }, (_, i) => `Pet ${i},1`);
    const file = writeFile(store, "twice.csv", `name,categoryId\n${rows.join("\n")}\n`);
    const importFile = () => runCommand(["import", file], store.environment);
    const results = await Promise.all([importFile(), importFile()]);
    assert.equal(await count(), 100, results.map(({ stdout, stderr }) => stdout + stderr).join());
    assert.ok(results.some(({ code, stdout }) => code === 0 && stdout.startsWith("Imported: 100 animals")));
    await empty();
  });

  await t.test("checks NDJSON by the rules of createPet", async () => {
    const lines = [
      '{"name":" Rex ","categoryId":9007199254740993,"id":5,"colour":"red"}',
      '{"name":"Luna","categoryId":1e2,"status":"sold"}',
      "",
      '{"name":"Tom","categoryId":"3"}',
      "[1]",
      '{"name":"Max"',
      '{"categoryId":null,"status":null}',
    ];
    const file = writeFile(store, "bad.ndjson", `\uFEFF${lines.join("\r\n")}`);
    const result = await command("import", file, "--json");
    assert.deepEqual(JSON.parse(result.stdout).badRows, [
      { line: 4, problem: categoryId },
      { line: 5, problem: "the line is not one JSON object in UTF-8" },
      { line: 6, problem: "the line is not one JSON object in UTF-8" },
      { line: 7, problem: `name is required; ${categoryId}; status must be one of available, pending, sold` },
    ]);
    assert.equal((await command("import", file, "--skip-bad")).code, 0);
    assert.deepEqual(await list(), ["Rex 9007199254740993 available", "Luna 100 sold"]);
    await empty();
  });

  await t.test("says that a file has no rows, and does not count it as imported", async () => {
    const files: Array<[string, string]> = [
      ["heading.csv", "The file has no rows after its heading line. Nothing was written."],
      ["empty.ndjson", "The file has no rows. Nothing was written."],
    ];
    for (const [name, says] of files) {
      const path = writeFile(store, name, name.endsWith(".csv") ? "name,categoryId\n" : "");
      for (const options of [[], ["--dry-run"], []]) {
        const { code, stdout, stderr } = await command("import", path, ...options);
        assert.deepEqual([code, stdout.split("\n")[0], stderr], [0, says, ""]);
        assert.doesNotMatch(stdout, /would add|imported before/);
      }
      const report = JSON.parse((await command("import", path, "--json")).stdout);
      assert.deepEqual([report.result, report.rows], ["nothing written", 0]);
    }
  });

  await t.test("reads other headings with --map, and other delimiters", async () => {
    const file = writeFile(store, "map.csv", 'Kind | Animal, called | X\n3|" Rex "|y\n');
    const flags = ["--map", "name=animal, called,categoryId=Kind", "--delimiter", "|"];
    const result = await command("import", file, ...flags);
    assert.equal(result.code, 0, result.stderr);
    const json = writeFile(store, "map.ndjson", '{"Animal":"Luna","Kind":4,"name":"x"}\n');
    assert.equal((await command("import", json, "--map", "name=Animal", "--map", "categoryId=Kind")).code, 0);
    assert.deepEqual(await list(), ["Rex 3 available", "Luna 4 available"]);
    await empty();
  });

  await t.test("reads NDJSON, or the format of --format, from standard input", async () => {
    const pipe = (input: string, ...flags: string[]) =>
      runCommand(["import", "-", ...flags], store.environment, input);
    assert.equal((await pipe('{"name":"Rex","categoryId":1}\n')).code, 0);
    const tabs = await pipe("name\tcategoryId\nLuna\t2\n", "--format", "csv");
    assert.match(
      tabs.stdout,
      /^Imported: 1 animal, with id \d+\.\nThe file was read as UTF-8 with the delimiter tab\.\n$/,
    );
    assert.match((await pipe('{"name":"Rex","categoryId":1}\n')).stdout, /imported before/);
    assert.deepEqual(await list(), ["Rex 1 available", "Luna 2 available"]);
    await empty();
  });

  await t.test("reads the CSV of a German Excel, detects its encoding and reports it", async () => {
    const text = "sep=;\r\nName;CategoryId\r\nZo\u00eb;1\r\nJ\u00fcrgen\u0092s \u0080;2\r\n";
    const file = writeFile(store, "german.csv", Buffer.from(text, "latin1"));
    const result = await command("import", file, "--json");
    const { animals, encoding, delimiter } = JSON.parse(result.stdout);
    assert.deepEqual([animals, encoding, delimiter], [2, "windows-1252", ";"], result.stderr);
    assert.deepEqual(await list(), ["Zoë 1 available", "Jürgen’s € 2 available"]);
    const again = await command("import", file, "--dry-run");
    assert.match(again.stdout, /\nThe file was read as Windows-1252 with the delimiter ";"\.\n$/);
    await empty();
  });

  await t.test(
    "uses the encoding of --encoding, and reports the line of a row that does not fit",
    async () => {
      const file = writeFile(
        store,
        "forced.csv",
        Buffer.from("name,categoryId\nRex,1\nZo\u00eb,2\n", "latin1"),
      );
      const refused = await command("import", file, "--encoding", "utf-8", "--json");
      assert.deepEqual(JSON.parse(refused.stdout).badRows, [{ line: 3, problem: "the row is not UTF-8" }]);
      const mojibake = writeFile(store, "utf8.csv", "name,categoryId\nZoë,2\n");
      assert.equal((await command("import", mojibake, "--encoding", "windows-1252")).code, 0);
      assert.deepEqual(await list(), ["ZoÃ« 2 available"]);
      await empty();
    },
  );

  await t.test("refuses another encoding, or --excel, for the rest of an interrupted import", async () => {
    const file = writeFile(store, "other.csv", "name,categoryId\nZoë,1\nZoë,2\n");
    await command("import", file);
    await db.transaction((tx) =>
      tx.run(
        "UPDATE imports SET rows_done = 1, finished_at_ms = NULL WHERE last_id = (SELECT max(id) FROM pets)",
      ),
    );
    for (const flags of [["--encoding", "windows-1252"], ["--excel"]])
      assert.match(
        (await command("import", file, ...flags)).stderr,
        /It read them as csv \{"delimiter":",","name":0,"categoryId":1\}; run it again/,
      );
    assert.equal((await command("import", file)).code, 0);
    await empty();
  });

  await t.test("imports a file again with --again", async () => {
    const file = writeFile(store, "again.csv", "name,categoryId\nRex,1\n");
    for (const flags of [[], [], ["--again"], []])
      assert.equal((await command("import", file, ...flags)).code, 0);
    assert.equal(await count(), 2);
    await empty();
  });

  await t.test("refuses other columns for the rest of an interrupted import", async () => {
    const file = writeFile(store, "cut.csv", "name,other,categoryId\nRex,Max,1\nLuna,Tom,2\n");
    await command("import", file);
    await db.transaction((tx) =>
      tx.run(
        "UPDATE imports SET rows_done = 1, finished_at_ms = NULL WHERE last_id = (SELECT max(id) FROM pets)",
      ),
    );
    const other = await command("import", file, "--map", "name=other");
    assert.equal(other.code, 1);
    assert.match(
      other.stderr,
      /was interrupted after 1 rows\. It read them as csv \{.*\}; run it again with the same/,
    );
    assert.match(
      (await command("import", file)).stdout,
      /It continued after row 1, where the last attempt was interrupted/,
    );
    assert.deepEqual(await list(), ["Rex 1 available", "Luna 2 available", "Luna 2 available"]);
    await empty();
  });

  interface Refused {
    /** In ISO 8859-1. */
    text?: string;
    flags?: string[];
    args?: string[];
    code?: number;
    says: RegExp;
  }
  const refused: Record<string, Refused> = {
    "missing headings": {
      text: "Animal,Kind\n",
      says: /there is no column "name"; there is no column "categoryId" or "categoryName"\. It has "Animal", "Kind", read as UTF-8 with the delimiter ","\. Say/,
    },
    "duplicate headings": {
      text: "name,NAME,categoryId\n",
      says: /there are several columns "name"/,
    },
    "a file without headings": { text: "\n", says: /The file is empty/ },
    "a heading line of 1 MB with control characters": {
      text: `\u001b[2J${"x".repeat(1_000_000)},b\n`,
      says: /^.{0,60}does not fit: there is no column "name".* It has "\\x1b\[2Jx{56}…", "b", read as .{0,150}$/m,
    },
    "a line that never ends": {
      text: `name,categoryId\n${"x".repeat(3 * 2 ** 20)}`,
      says: /Line 2 is longer/,
    },
    "headings in another encoding than the given one": {
      text: "\u00fcber,name,categoryId\n",
      flags: ["--encoding", "utf-8"],
      says: /Line 1, with the headings, cannot be read: the row is not UTF-8\. .*--encoding/,
    },
    "text that is not UTF-16, as it was said": {
      text: "name,categoryId\n",
      flags: ["--encoding", "utf-16le"],
      says: /The first line does not fit: .* read as UTF-16LE/,
    },
    "a spreadsheet under the name of a CSV file": {
      text: "PK\u0003\u0004",
      says: /refused\.csv is a spreadsheet, not a text file\. .*save it as "CSV UTF-8"/,
    },
    "a spreadsheet": { args: ["a.xlsx"], code: 2, says: /"a\.xlsx" is a spreadsheet\. Use CSV/ },
    "an unknown encoding": {
      args: ["a.csv", "--encoding", "ebcdic"],
      code: 2,
      says: /--encoding must be one of utf-8, utf-16le, utf-16be, windows-1252\./,
    },
    "--excel for NDJSON": { args: ["a.ndjson", "--excel"], code: 2, says: /--excel is for CSV files/ },
    "a quote that is never closed": {
      text: 'name,categoryId\n"Rex,1\n',
      says: /The row on line 2 does not end/,
    },
    "a missing file": { args: ["nowhere.csv"], says: /There is no file \S+nowhere\.csv/ },
    "an unknown ending": { args: ["animals.txt"], code: 2, says: /give the format with --format/ },
    "a map without a heading": {
      args: ["a.csv", "--map", "name"],
      code: 2,
      says: /--map must be NAME=HEADING/,
    },
    "a map of another member": {
      args: ["a.csv", "--map", "age=Age"],
      code: 2,
      says: /must be one of name, categoryId, categoryName, status/,
    },
    "another delimiter": {
      args: ["a.csv", "--delimiter", "x"],
      code: 2,
      says: /--delimiter must be one of , ?;?/,
    },
    "no file": { args: [], code: 2, says: /FILE is missing/ },
  };
  for (const [what, { text, flags = [], args, code = 1, says }] of Object.entries(refused)) {
    await t.test(`refuses ${what} and says what to do`, async () => {
      const given = args ?? [writeFile(store, "refused.csv", Buffer.from(text ?? "", "latin1")), ...flags];
      const result = await command("import", ...given);
      assert.equal(result.code, code);
      assert.match(result.stderr, says);
      assert.equal(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
      assert.equal(await count(), 0);
    });
  }

  await t.test("creates no store", async () => {
    const file = writeFile(store, "none.csv", "name,categoryId\nRex,1\n");
    const result = await runInHost(["import", file], { DATABASE_URL: `sqlite:${store.folder}/none.db` });
    assert.deepEqual([result.code, /There is no store at/.test(result.stderr)], [1, true]);
  });
});
