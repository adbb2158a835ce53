// The rows of an import: which are read, and which are refused with their lines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../harness/servers/service.ts";
import { makeStore } from "./stores.ts";

const BAD_FILE = Buffer.concat([
  Buffer.from('name,categoryId,status\nRex,3,\n,4,sold\n"zwö\nlines",5,sold\nLuna,1.5,lost\nTom,6\nZo'),
  Buffer.from([0xeb]),
  Buffer.from(
    `,7,sold\n\n"Max" x,8,sold\n${"x".repeat(256)},9,sold\n Mia , -9223372036854775808 , pending \n`,
  ),
]);
const NAME_RULE =
  "name must be 1 to 255 characters after trimming white space at both ends, without control characters";
const CATEGORY_RULE = "categoryId must be an integer between -9223372036854775808 and 9223372036854775807";
const PROBLEMS = [
  { line: 3, problem: "name is required" },
  { line: 4, problem: `${NAME_RULE} (the row ends on line 5)` },
  { line: 6, problem: `${CATEGORY_RULE}; status must be one of available, pending, sold` },
  { line: 7, problem: "the row has 2 fields, the first line has 3" },
  { line: 8, problem: "the row is not UTF-8" },
  { line: 10, problem: "text follows a closing quote" },
  { line: 11, problem: NAME_RULE },
];

test("import lists every bad row of a CSV file with its line and writes nothing", async (t) => {
  const { command, countPets, write } = await makeStore(t);
  const file = write("bad.csv", BAD_FILE);
  for (const flags of [[], ["--dry-run"]]) {
    const result = await command("import", file, "--json", ...flags);
    assert.equal(result.code, 1);
    assert.deepEqual(JSON.parse(result.stdout), {
      result: "nothing written",
      rows: 9,
      bad: 7,
      badRows: PROBLEMS,
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
  assert.equal(await countPets(), 0);
});

test("import writes the good rows with --skip-bad, and lists the others", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const result = await command("import", write("bad.csv", BAD_FILE), "--skip-bad");
  assert.equal(result.code, 0);
  assert.match(result.stdout, /^11 +name must be/m);
  assert.match(result.stdout, /\nImported: 2 animals, with ids from 1 to 2\. Skipped: 7 bad rows\.\n/);
  assert.deepEqual(await listPets(), ["Rex 3 available", "Mia -9223372036854775808 pending"]);
});

test("import only counts bad rows after the first 10,000, and still writes the good ones", async (t) => {
  const { command, write } = await makeStore(t);
  const lines = Array.from({ length: 10_003 }, () => "Rex;x");
  const file = write("many.csv", `name;categoryId\n${lines.join("\n")}\nMia;1\n`);
  const refused = await command("import", file);
  assert.match(refused.stdout, /\n10001 +categoryId .*\n… and 3 more\n\n10004 rows, 1 of them valid/);
  assert.match(
    refused.stderr,
    /^animal-store: 10003 of 10004 rows cannot be imported, so nothing was imported\./,
  );
  const { stdout } = await command("import", file, "--skip-bad", "--json");
  const { bad, badRows, animals } = JSON.parse(stdout);
  assert.deepEqual([bad, badRows.length, animals], [10_003, 10_000, 1]);
  const wrong = write("wrong.csv", "name;categoryId\nRex;x\n");
  assert.match(
    (await command("import", wrong)).stderr,
    /Correct the file, or check --map, --encoding and --delimiter\.\n$/,
  );
});

test("import checks NDJSON by the rules of createPet", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const lines = [
    '{"name":" Rex ","categoryId":9007199254740993,"id":5,"colour":"red"}',
    '{"name":"Luna","categoryId":1e2,"status":"sold"}',
    "",
    '{"name":"Tom","categoryId":"3"}',
    "[1]",
    '{"name":"Max"',
    '{"categoryId":null,"status":null}',
  ];
  const file = write("bad.ndjson", `\uFEFF${lines.join("\r\n")}`);
  const result = await command("import", file, "--json");
  assert.deepEqual(JSON.parse(result.stdout).badRows, [
    { line: 4, problem: CATEGORY_RULE },
    { line: 5, problem: "the line is not one JSON object in UTF-8" },
    { line: 6, problem: "the line is not one JSON object in UTF-8" },
    {
      line: 7,
      problem: `name is required; ${CATEGORY_RULE}; status must be one of available, pending, sold`,
    },
  ]);
  assert.equal((await command("import", file, "--skip-bad")).code, 0);
  assert.deepEqual(await listPets(), ["Rex 9007199254740993 available", "Luna 100 sold"]);
});

test("import says that a file has no rows, and does not count it as imported", async (t) => {
  const { command, write } = await makeStore(t);
  const files: Array<[string, string]> = [
    ["heading.csv", "The file has no rows after its heading line. Nothing was written."],
    ["empty.ndjson", "The file has no rows. Nothing was written."],
  ];
  for (const [name, says] of files) {
    const path = write(name, name.endsWith(".csv") ? "name,categoryId\n" : "");
    for (const options of [[], ["--dry-run"], []]) {
      const { code, stdout, stderr } = await command("import", path, ...options);
      assert.deepEqual([code, stdout.split("\n")[0], stderr], [0, says, ""]);
      assert.doesNotMatch(stdout, /would add|imported before/);
    }
    const report = JSON.parse((await command("import", path, "--json")).stdout);
    assert.deepEqual([report.result, report.rows], ["nothing written", 0]);
  }
});

test("import reads other headings with --map, and other delimiters", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const file = write("map.csv", 'Kind | Animal, called | X\n3|" Rex "|y\n');
  const flags = ["--map", "name=animal, called,categoryId=Kind", "--delimiter", "|"];
  const result = await command("import", file, ...flags);
  assert.equal(result.code, 0, result.stderr);
  const json = write("map.ndjson", '{"Animal":"Luna","Kind":4,"name":"x"}\n');
  assert.equal((await command("import", json, "--map", "name=Animal", "--map", "categoryId=Kind")).code, 0);
  assert.deepEqual(await listPets(), ["Rex 3 available", "Luna 4 available"]);
});

test("import reads NDJSON, or the format of --format, from standard input", async (t) => {
  const { environment, listPets } = await makeStore(t);
  const pipe = (input: string, ...flags: string[]) =>
    runCommand(["import", "-", ...flags], environment, input);
  assert.equal((await pipe('{"name":"Rex","categoryId":1}\n')).code, 0);
  const tabs = await pipe("name\tcategoryId\nLuna\t2\n", "--format", "csv");
  assert.match(
    tabs.stdout,
    /^Imported: 1 animal, with id \d+\.\nThe file was read as UTF-8 with the delimiter tab\.\n$/,
  );
  assert.match((await pipe('{"name":"Rex","categoryId":1}\n')).stdout, /imported before/);
  assert.deepEqual(await listPets(), ["Rex 1 available", "Luna 2 available"]);
});

test("import reads the CSV of a German Excel, detects its encoding and reports it", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const text = "sep=;\r\nName;CategoryId\r\nZo\u00eb;1\r\nJ\u00fcrgen\u0092s \u0080;2\r\n";
  const file = write("german.csv", Buffer.from(text, "latin1"));
  const result = await command("import", file, "--json");
  const { animals, encoding, delimiter } = JSON.parse(result.stdout);
  assert.deepEqual([animals, encoding, delimiter], [2, "windows-1252", ";"], result.stderr);
  assert.deepEqual(await listPets(), ["Zoë 1 available", "Jürgen’s € 2 available"]);
  const again = await command("import", file, "--dry-run");
  assert.match(again.stdout, /\nThe file was read as Windows-1252 with the delimiter ";"\.\n$/);
});

test("import uses the encoding of --encoding, and reports the line of a row that does not fit", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const file = write("forced.csv", Buffer.from("name,categoryId\nRex,1\nZo\u00eb,2\n", "latin1"));
  const refused = await command("import", file, "--encoding", "utf-8", "--json");
  assert.deepEqual(JSON.parse(refused.stdout).badRows, [{ line: 3, problem: "the row is not UTF-8" }]);
  const mojibake = write("utf8.csv", "name,categoryId\nZoë,2\n");
  assert.equal((await command("import", mojibake, "--encoding", "windows-1252")).code, 0);
  assert.deepEqual(await listPets(), ["ZoÃ« 2 available"]);
});

interface Refused {
  /** In ISO 8859-1. */
  text?: string;
  flags?: string[];
  args?: string[];
  code?: number;
  says: RegExp;
}
const REFUSED: Record<string, Refused> = {
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
test("import refuses a file or an option that it cannot use, and says what to do", async (t) => {
  const { command, countPets, write } = await makeStore(t);
  for (const [what, { text = "", flags = [], args, code = 1, says }] of Object.entries(REFUSED)) {
    await t.test(what, async () => {
      const given = args ?? [write("refused.csv", Buffer.from(text, "latin1")), ...flags];
      const result = await command("import", ...given);
      assert.equal(result.code, code);
      assert.match(result.stderr, says);
      assert.equal(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
      assert.equal(await countPets(), 0);
    });
  }
});
