// The CSV reader of the console, compared with the reader of the commands.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { decodeText, OpenQuoteError, readRecords, UNREADABLE } from "../../../console/src/import/csv.ts";
import { createCsvRecords } from "../../../src/transfer/formats/csv-records.ts";
import { createDecoder, detectEncoding } from "../../../src/transfer/formats/decoder.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

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
    'a"b;c\n1;2\n',
  ];
  for (const text of examples) assert.deepEqual(readByConsole(text), readByCommand(text), text);
  const piece = fc.constantFrom("a", "é", " ", ",", ";", "\t", '"', '""', "\n", "\r", "\r\n", "'=1");
  fc.assert(
    fc.property(
      fc.constantFrom("name,status\n", ""),
      fc.array(piece, { maxLength: 30 }),
      (header, pieces) => {
        const text = header + pieces.join("");
        assert.deepEqual(readByConsole(text), readByCommand(text));
      },
    ),
    { numRuns: 500 },
  );
});

const ENCODERS: Record<string, (text: string) => Buffer> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with a byte order mark": (text) => Buffer.from(`\uFEFF${text}`),
  "UTF-16": (text) => Buffer.from(text, "utf16le"),
  "UTF-16 with a byte order mark": (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  "UTF-16 of the other order": (text) => Buffer.from(text, "utf16le").swap16(),
  "Windows-1252": (text) => Buffer.from(text, "latin1"),
};

test("recognises the encodings of spreadsheets", () => {
  for (const [name, encode] of Object.entries(ENCODERS)) assert.equal(decodeText(encode("Bär")), "Bär", name);
});

test("reads a file with one damaged character as UTF-8, and marks that character", () => {
  const damaged = Buffer.concat([Buffer.from("Bär\nM"), Buffer.from([0xfc]), Buffer.from("ller\nJürgen")]);
  assert.equal(decodeText(damaged), `Bär\nM${UNREADABLE}ller\nJürgen`);
  assert.equal(decodeText(Buffer.from([0x42, 0xe4, 0x72, 0x81])), `Bär${UNREADABLE}`, "Windows-1252");
});

/** The text as the command import reads it, with U+FFFD for what is not text. */
async function decodeByCommand(path: string, bytes: Buffer): Promise<string> {
  writeFileSync(path, bytes);
  const decoder = createDecoder(
    await detectEncoding({ path, size: bytes.length, given: undefined }, () => {}),
  );
  return Buffer.concat([decoder.push(bytes), decoder.end()]).toString();
}

test("reads bytes as the command import does", async (t) => {
  const path = join(makeFolder(t), "animals.csv");
  const text = fc.array(fc.constantFrom("a", "ü", "ß", ",", "\n"), { maxLength: 40 });
  const damage = fc.array(fc.tuple(fc.nat(30), fc.constantFrom(0x41, 0x81, 0xc3, 0xdc, 0xe4, 0xfc)), {
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(ENCODERS)),
      text,
      damage,
      async (encode, letters, places) => {
        const bytes = encode(`name\n${letters.join("")}`);
        // The mark or the first letter stays: a command refuses what is not text.
        for (const [place, byte] of places) if (place + 4 < bytes.length) bytes[place + 4] = byte;
        // The decoders may write one or several for a damaged character.
        const bare = (decoded: string) =>
          decoded.replaceAll(UNREADABLE, "\uFFFD").replaceAll(/\uFFFD+/g, "?");
        assert.equal(bare(decodeText(bytes)), bare(await decodeByCommand(path, bytes)));
      },
    ),
    { numRuns: 300 },
  );
});
