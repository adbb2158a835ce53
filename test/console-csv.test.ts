// The CSV reader of the console, compared with that of the commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeText, OpenQuoteError, readRecords } from "../console/src/state/csv.ts";
import { createCsvRecords } from "../src/transfer/files/csv-records.ts";

/** Lines and fields as the commands read them; "open" if a quote is never closed. */
function readByCommand(text: string): unknown {
  const records = createCsvRecords();
  try {
    const found = [...records.push(Buffer.from(text)), ...records.end()];
    return found.map(({ line, fields }) => ({ line, fields }));
  } catch {
    return "open";
  }
}

function readByConsole(text: string): unknown {
  try {
    return readRecords(text).map(({ line, fields }) => ({ line, fields }));
  } catch (error) {
    assert.ok(error instanceof OpenQuoteError);
    return "open";
  }
}

test("reads the same records as the command import", () => {
  const examples = [
    "a,b\n1,2\n",
    'a;b\r\n"x;\r\n y";"say ""hi"""\r\n',
    "sep=;\na;b\n1;2",
    "a\tb\r1\t2\r\r3\t4",
    'name\n"x"y\n',
    'a,b\n"never closed\n1,2\n',
    "a,b,\n,,\n1,2,",
  ];
  for (const text of examples) assert.deepEqual(readByConsole(text), readByCommand(text), text);
  const piece = fc.constantFrom("a", "é", " ", ",", ";", "\t", '"', '""', "\n", "\r", "\r\n", "'=1");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = `name,status\n${pieces.join("")}`;
      assert.deepEqual(readByConsole(text), readByCommand(text));
    }),
    { numRuns: 500 },
  );
});

test("recognises the encodings of spreadsheets", () => {
  const encodings: Record<string, Buffer> = {
    "UTF-8": Buffer.from("Bär"),
    "UTF-8 with a byte order mark": Buffer.from("\uFEFFBär"),
    "UTF-16": Buffer.from("\uFEFFBär", "utf16le"),
    "Windows-1252": Buffer.from("Bär", "latin1"),
  };
  for (const [name, bytes] of Object.entries(encodings)) assert.equal(decodeText(bytes), "Bär", name);
});
