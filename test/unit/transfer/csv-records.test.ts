// CSV as people and programs write it: every record once, whole, with the line it begins on.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CsvRecord, createCsvRecords } from "../../../src/transfer/formats/csv-records.ts";

/** In pieces of one size, as a disk or a pipe might give them. */
function readAll(text: string | Buffer, pieceBytes: number, delimiter?: string): CsvRecord[] {
  const bytes = Buffer.from(text as string);
  const records = createCsvRecords(delimiter);
  const found: CsvRecord[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    found.push(...records.push(bytes.subarray(at, at + pieceBytes)));
  return [...found, ...records.end()];
}

const READ: Record<string, { text: string | Buffer; found: CsvRecord[] }> = {
  "plain fields": {
    text: "a,b\n1,2\n",
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1", "2"] },
    ],
  },
  "CRLF, and a last line without its end": {
    text: "a,b\r\n1,2",
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1", "2"] },
    ],
  },
  "CR alone as the end of a line": {
    text: 'a,b\r1,2\r\r"x",y',
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1", "2"] },
      { line: 4, fields: ["x", "y"] },
    ],
  },
  "CR, LF and CRLF in one file, also inside quotes, with the lines of an editor": {
    text: 'a,b\r\n"1\r\n2\r3\n4",x\r"5",y\n\r\n\r6,z\r\n',
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1\r\n2\r3\n4", "x"], endLine: 5 },
      { line: 6, fields: ["5", "y"] },
      { line: 9, fields: ["6", "z"] },
    ],
  },
  "Excel's sep= line, which names the delimiter and is not a header": {
    text: "sep=|\r\na,b|c;d\r\n1|2\r\n",
    found: [
      { line: 2, fields: ["a,b", "c;d"] },
      { line: 3, fields: ["1", "2"] },
    ],
  },
  "quotes after a plain field": {
    text: 'a,b,c\nplain,"two\nlines",x\n',
    found: [
      { line: 1, fields: ["a", "b", "c"] },
      { line: 2, fields: ["plain", "two\nlines", "x"], endLine: 3 },
    ],
  },
  "quotes around commas, quotes and line ends": {
    text: 'a,b\n"1,5","say ""hi"""\r\n"two\r\nlines",x\nlast,y\n',
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["1,5", 'say "hi"'] },
      { line: 3, fields: ["two\r\nlines", "x"], endLine: 4 },
      { line: 5, fields: ["last", "y"] },
    ],
  },
  "a quote inside a plain field as itself": {
    text: 'a,b\n5" tall,x\n',
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ['5" tall', "x"] },
    ],
  },
  semicolons: {
    text: '\n\na;b\n"1;2";3,4\n',
    found: [
      { line: 3, fields: ["a", "b"] },
      { line: 4, fields: ["1;2", "3,4"] },
    ],
  },
  tabs: {
    text: "a\tb, c\n1\t2\n",
    found: [
      { line: 1, fields: ["a", "b, c"] },
      { line: 2, fields: ["1", "2"] },
    ],
  },
  "no empty lines, and none of the empty rows of a spreadsheet": {
    text: "\n\na,b\n\n , \n1,2\n,,,\n",
    found: [
      { line: 3, fields: ["a", "b"] },
      { line: 6, fields: ["1", "2"] },
    ],
  },
  "text after a closing quote as a fault of that row alone": {
    text: 'a,b\n"Rex" the "dog",1\n"Luna",2\n',
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ['"Rex" the "dog"', "1"], problem: "text follows a closing quote" },
      { line: 3, fields: ["Luna", "2"] },
    ],
  },
  "bytes that are no UTF-8 as a fault of that row alone": {
    text: Buffer.concat([Buffer.from("a,b\nZo"), Buffer.from([0xeb]), Buffer.from(",1\nZoë,2\n")]),
    found: [
      { line: 1, fields: ["a", "b"] },
      { line: 2, fields: ["Zo\uFFFD", "1"], problem: "the row is not UTF-8" },
      { line: 3, fields: ["Zoë", "2"] },
    ],
  },
  "nothing in an empty file": { text: "", found: [] },
  "nothing in a file of empty lines": { text: "\n\r\n\n", found: [] },
};

for (const [what, { text, found }] of Object.entries(READ)) {
  test(`reads ${what}, in pieces of any size`, () => {
    for (const pieceBytes of [1, 2, 3, 7, 1_000]) assert.deepEqual(readAll(text, pieceBytes), found);
  });
}

test("uses the given delimiter", () => {
  assert.deepEqual(readAll("a,b|c\n", 100, "|"), [{ line: 1, fields: ["a,b", "c"] }]);
  assert.deepEqual(readAll("sep=;\na,b|c\n", 100, "|"), [{ line: 2, fields: ["a,b", "c"] }]);
});

for (const [line, delimiter] of [
  ["sep=;", ";"] as const,
  ["SEP=,", ","] as const,
  ["Sep=\t", "\t"] as const,
  ["sep=|", "|"] as const,
  ['"sep=;"', ";"] as const,
  ['"sep=\t"', "\t"] as const,
  ["sep=; ", ";"] as const,
]) {
  test(`reads ${JSON.stringify(line)} as the delimiter of the file`, () => {
    for (const lineEnd of ["\n", "\r", "\r\n"])
      assert.deepEqual(readAll(`${line}${lineEnd}a${delimiter}b${lineEnd}`, 2), [
        { line: 2, fields: ["a", "b"] },
      ]);
  });
}

for (const line of ["sep=x", "sep=", "sep=;;", "separator=;", "name;sep=;"]) {
  test(`reads ${JSON.stringify(line)} as a header`, () => {
    assert.equal(readAll(`${line}\n`, 100)[0]?.line, 1);
  });
}

test("reports the line of a quote that is never closed, and reads nothing after it", () => {
  assert.throws(
    () => readAll('a,b\n1,2\n"Rex,3\nLuna,4\n', 5),
    /The row on line 3 does not end: check for a quote/,
  );
  const endless = `a,b\n"${"x".repeat(2 ** 20 + 10)}`;
  assert.throws(() => readAll(endless, 2 ** 16), /The row on line 2 does not end/);
  const emptyLines = `a,b\n"${"\n".repeat(2 ** 20 + 10)}",x\n`;
  assert.throws(() => readAll(emptyLines, 2 ** 16), /The row on line 2 does not end/, "line ends count");
});

test("reads a quoted field of thousands of lines as it is", () => {
  const text = "x\r\n\n".repeat(5_000);
  const [, record] = readAll(`a,b\n"${text}",y\n`, 2 ** 16);
  assert.deepEqual(record, { line: 2, endLine: 10_002, fields: [text, "y"] });
});

test("reports the line that is longer than 1 MiB, and reads no further", () => {
  const long = "x".repeat(2 ** 20 + 10);
  assert.throws(() => readAll(`a,b\n1,2\n${long}`, 2 ** 16), /Line 3 is longer than 1 MiB/);
  assert.throws(() => readAll(long, 2 ** 16), /Line 1 is longer than 1 MiB/);
});

test("reads back all fields that are written by RFC 4180", () => {
  const field = fc.string({
    unit: fc.constantFrom("a", " ", '"', ",", ";", "\t", "\n", "\r", "\r\n", "é", "🐕"),
  });
  const table = fc.array(fc.tuple(field, field, fc.constant("end")), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 9 }), (rows, pieceBytes) => {
      const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const text = rows.map((row) => `${row.map(quote).join(",")}\r\n`).join("");
      const found = readAll(text, pieceBytes, ",");
      assert.deepEqual(
        found.map(({ fields }) => fields),
        rows.map((row) => [...row]),
      );
    }),
  );
});
