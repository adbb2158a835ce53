// The rows of an import: which are read, and which are refused with their lines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../harness/servers/service.ts";
import { makeStore } from "./stores.ts";

const BAD_FILE = Buffer.concat([
  Buffer.from('name,categoryId,status\nRex,3,\n,4,sold\n"zwö\nlines",5,sold\nLuna,1.5,lost\nTom\nZo'),
  Buffer.from([0xeb]),
  Buffer.from(
    `,7,sold\n\n"Max" x,8,sold\n${"x".repeat(256)},9,sold\n Mia , -9223372036854775808 , pending \n`,
  ),
]);
const NAME_RULE =
  "name must be 1 to 255 characters after trimming white space at both ends, without control characters";
const CATEGORY_RULE = "categoryId must be an integer between -9223372036854775808 and 9223372036854775807";
const IN_ROW = { heading: undefined, value: undefined };
const PROBLEMS = [
  { line: 3, heading: "name", value: undefined, message: "name is required" },
  { line: 4, heading: "name", value: "zwö\nlines", message: `${NAME_RULE} (the row ends on line 5)` },
  { line: 6, heading: "categoryId", value: "1.5", message: CATEGORY_RULE },
  { line: 6, heading: "status", value: "lost", message: "status must be one of available, pending, sold" },
  { line: 7, ...IN_ROW, message: "the row has 1 field, the first line has 3" },
  { line: 8, ...IN_ROW, message: "the row is not UTF-8" },
  { line: 10, ...IN_ROW, message: "text follows a closing quote" },
  { line: 11, heading: "name", value: `${"x".repeat(100)}…`, message: NAME_RULE },
];

/** The problems of a report, with absent members. */
function problemsOf(stdout: string) {
  const { problems } = JSON.parse(stdout);
  return problems.map((problem: object) => ({ line: 0, ...IN_ROW, ...problem }));
}

test("import lists every bad row of a CSV file with its line and writes nothing", async (t) => {
  const { command, countPets, write } = await makeStore(t);
  const file = write("bad.csv", BAD_FILE);
  for (const flags of [[], ["--dry-run"]]) {
    const result = await command("import", file, "--json", ...flags);
    assert.equal(result.code, 1);
    assert.deepEqual(problemsOf(result.stdout), PROBLEMS);
    const { columns, preview, problems: _, ...report } = JSON.parse(result.stdout);
    assert.deepEqual(report, {
      isDryRun: flags.length > 0,
      rows: 9,
      added: 2,
      updated: 0,
      unchanged: 0,
      bad: 7,
      settings: {
        map: {},
        dateOrder: "auto",
        createCategories: false,
        encoding: "utf-8",
        delimiter: ",",
        skipBad: false,
      },
    });
    assert.deepEqual(columns, [
      { heading: "name", member: "name", readAs: "text", samples: ["Rex", "zwö\nlines", "Luna"] },
      { heading: "categoryId", member: "categoryId", readAs: "whole number", samples: ["3", "4", "5"] },
      {
        heading: "status",
        member: "status",
        readAs: "word for status",
        samples: ["sold", "lost", "pending"],
      },
    ]);
    const [rex, mia] = preview;
    assert.deepEqual([rex.id, rex.name, mia.name, mia.status, mia.profile], [0, "Rex", "Mia", "pending", {}]);
    assert.match(
      result.stderr,
      /^animal-store: 7 of 9 rows cannot be imported, so nothing was imported\. .*--skip-bad\.\n$/,
    );
  }
  const { stdout } = await command("import", file);
  assert.match(stdout, /^LINE {2}COLUMN {6}PROBLEM\n3 {5}name {8}name is required\n/);
  assert.match(
    stdout,
    /\n9 rows, 2 of them good\. Nothing was written\. .*: 2 animals added, 0 changed, 0 unchanged\.\nThe file was read as UTF-8 with /,
  );
  assert.equal(await countPets(), 0);
});

test("import writes the good rows with --skip-bad, and lists the others", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const result = await command("import", write("bad.csv", BAD_FILE), "--skip-bad");
  assert.equal(result.code, 0);
  assert.match(result.stdout, /^11 +name +"x+…": name must be/m);
  assert.match(
    result.stdout,
    /\nImported: 2 animals added, 0 changed, 0 unchanged\. Skipped: 7 bad rows\.\n/,
  );
  assert.deepEqual(await listPets(), ["Rex 3 available", "Mia -9223372036854775808 pending"]);
});

test("import lists the first 100 problems, counts all bad rows, and still writes the good ones", async (t) => {
  const { command, write } = await makeStore(t);
  const lines = Array.from({ length: 10_003 }, () => "Rex;x");
  const file = write("many.csv", `name;categoryId\n${lines.join("\n")}\nMia;1\n`);
  const refused = await command("import", file);
  assert.match(
    refused.stdout,
    /\n101 +categoryId .*\n… and 9903 more bad rows; --bad-rows FILE writes all\n\n10004 rows, 1 of them good/,
  );
  assert.match(
    refused.stderr,
    /^animal-store: 10003 of 10004 rows cannot be imported, so nothing was imported\./,
  );
  const { stdout } = await command("import", file, "--skip-bad", "--json");
  const { bad, problems, added } = JSON.parse(stdout);
  assert.deepEqual([bad, problems.length, added], [10_003, 100, 1]);
  const wrong = write("wrong.csv", "name;categoryId\nRex;x\n");
  assert.match(
    (await command("import", wrong)).stderr,
    /Correct the file, or check --map, --date-order, --encoding and --delimiter\.\n$/,
  );
});

test("import checks NDJSON by the rules of createPet", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const lines = [
    '{"name":" Rex ","categoryId":9007199254740993,"id":5,"colour":"red"}',
    '{"name":"Luna","categoryId":1e2,"status":"sold"}',
    "",
    '{"name":"Tom","categoryId":"three"}',
    "[1]",
    '{"name":"Max"',
    '{"categoryId":null,"status":null}',
  ];
  const file = write("bad.ndjson", `\uFEFF${lines.join("\r\n")}`);
  const result = await command("import", file, "--json");
  assert.deepEqual(problemsOf(result.stdout), [
    { line: 4, heading: "categoryId", value: "three", message: CATEGORY_RULE },
    { line: 5, ...IN_ROW, message: "the line is not one JSON object in UTF-8" },
    { line: 6, ...IN_ROW, message: "the line is not one JSON object in UTF-8" },
    { line: 7, heading: "categoryId", value: "null", message: CATEGORY_RULE },
    { line: 7, heading: "status", value: "null", message: "status must be one of available, pending, sold" },
  ]);
  assert.equal((await command("import", file, "--skip-bad")).code, 0);
  assert.deepEqual(await listPets(), ["Rex 9007199254740993 available", "Luna 100 sold"]);
});

test("import says that a file has no rows, and does not count it as imported", async (t) => {
  const { command, write } = await makeStore(t);
  const files: Array<[string, string]> = [
    ["heading.csv", "The file has no rows. Nothing was written."],
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
    assert.deepEqual([report.added, report.rows], [0, 0]);
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
    /^Imported: 1 animal added, 0 changed, 0 unchanged\.\nThe file was read as UTF-8 with the delimiter tab:\n/,
  );
  assert.match((await pipe('{"name":"Rex","categoryId":1}\n')).stdout, /imported before/);
  assert.deepEqual(await listPets(), ["Rex 1 available", "Luna 2 available"]);
});

test("import reads the CSV of a German Excel, detects its encoding and reports it", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const text = "sep=;\r\nName;CategoryId\r\nZo\u00eb;1\r\nJ\u00fcrgen\u0092s \u0080;2\r\n";
  const file = write("german.csv", Buffer.from(text, "latin1"));
  const result = await command("import", file, "--json");
  const { added, settings } = JSON.parse(result.stdout);
  assert.deepEqual([added, settings.encoding, settings.delimiter], [2, "windows-1252", ";"], result.stderr);
  assert.deepEqual(await listPets(), ["Zoë 1 available", "Jürgen’s € 2 available"]);
  const again = await command("import", file, "--dry-run");
  assert.match(again.stdout, /\nThe file was read as Windows-1252 with the delimiter ";":\n/);
});

test("import uses the encoding of --encoding, and reports the line of a row that does not fit", async (t) => {
  const { command, listPets, write } = await makeStore(t);
  const file = write("forced.csv", Buffer.from("name,categoryId\nRex,1\nZo\u00eb,2\n", "latin1"));
  const refused = await command("import", file, "--encoding", "utf-8", "--json");
  assert.deepEqual(problemsOf(refused.stdout), [{ line: 3, ...IN_ROW, message: "the row is not UTF-8" }]);
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
    text: "Animal,Kind\nRex,dog\n",
    says: /1 of 1 row cannot be imported, so nothing was imported\. Correct the file, or check --map/,
  },
  "duplicate headings": {
    text: "name,NAME,categoryId\n",
    says: /The file has several columns "name"\. Rename one of them\./,
  },
  "a map to a heading that the file does not have": {
    text: "Animal,Kind\nRex,dog\n",
    flags: ["--map", "name=Tier"],
    says: /map\.name names "Tier", which the file does not have\. It has "Animal", "Kind"\./,
  },
  "a heading to ignore that the file does not have": {
    text: "name\nRex\n",
    flags: ["--ignore", "Age"],
    says: /ignore names "Age", which the file does not have\. It has "name"\./,
  },
  "more than 1,000 columns": {
    text: "a,".repeat(1_001),
    says: /Line 1 has more than 1000 columns\. Check the delimiter\./,
  },
  "a file without headings": { text: "\n", says: /The file is empty/ },
  "a heading line of 1 MB with control characters": {
    text: `\u001b[2J${"x".repeat(1_000_000)},b\n`,
    flags: ["--map", "name=b b"],
    says: /^animal-store: The first line has no headings: "\\x1b\[2Jx{56}…"\. Save the table/,
  },
  "a line that never ends": {
    text: `name,categoryId\n${"x".repeat(3 * 2 ** 20)}`,
    says: /Line 2 is longer/,
  },
  "headings in another encoding than the given one": {
    text: "\u00fcber,name,categoryId\n",
    flags: ["--encoding", "utf-8"],
    says: /Line 1, with the headings, cannot be read: the row is not UTF-8\. .*give its encoding/,
  },
  "text that is not UTF-16, as it was said": {
    text: "name,categoryId\n",
    flags: ["--encoding", "utf-16le", "--map", "name=name"],
    says: /map\.name names "name", which the file does not have/,
  },
  "a spreadsheet under the name of a CSV file": {
    text: "PK\u0003\u0004",
    says: /The file is a spreadsheet, not a text file\. .*save it as "CSV UTF-8"/,
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
    says: /--map must be MEMBER=HEADING/,
  },
  "a map of another member": {
    text: "name\n",
    flags: ["--map", "weight=Age"],
    says: /map has "weight", but must have members of an animal: name, categoryId, categoryName, status, .*custom\.NAME\./,
  },
  "another currency": {
    args: ["a.csv", "--currency", "Euro"],
    code: 2,
    says: /--currency must be a currency code, such as EUR\./,
  },
  "another category": {
    args: ["a.csv", "--category", "dogs"],
    code: 2,
    says: /--category must be the id of a category\./,
  },
  "another order of dates": {
    args: ["a.csv", "--date-order", "ydm"],
    code: 2,
    says: /--date-order must be one of auto, dmy, mdy, ymd\./,
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
