// Files as spreadsheets write them: every encoding, line end and delimiter gives the same animals with the same lines.

import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { createDecoder, detectEncoding } from "../../../src/transfer/formats/decoder.ts";
import { createUtf8Counts, type Encoding } from "../../../src/transfer/formats/encodings.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { readRows, showRow } from "./rows.ts";

/** Every printable character of Windows-1252 outside ASCII, by its byte from 80. */
const HIGH =
  "€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";

function toWindows1252(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (letter) => (letter < "\x80" ? letter.charCodeAt(0) : 0x80 + HIGH.indexOf(letter))),
  );
}

const toUtf16 = (text: string) => Buffer.from(text, "utf16le");

const ENCODERS: Record<string, { encoding: Encoding; encode(text: string): Buffer }> = {
  "UTF-8": { encoding: "utf-8", encode: (text) => Buffer.from(text) },
  "UTF-8 with a byte order mark": { encoding: "utf-8", encode: (text) => Buffer.from(`\uFEFF${text}`) },
  "UTF-16LE": { encoding: "utf-16le", encode: toUtf16 },
  "UTF-16LE with a byte order mark": {
    encoding: "utf-16le",
    encode: (text) => toUtf16(`\uFEFF${text}`),
  },
  "UTF-16BE": { encoding: "utf-16be", encode: (text) => toUtf16(text).swap16() },
  "UTF-16BE with a byte order mark": {
    encoding: "utf-16be",
    encode: (text) => toUtf16(`\uFEFF${text}`).swap16(),
  },
  "Windows-1252": { encoding: "windows-1252", encode: toWindows1252 },
};

function read(bytes: Buffer, encoding: Encoding, pieceBytes: number, format: "csv" | "ndjson") {
  return readRows(bytes, { encoding, pieceBytes, format }).map(showRow);
}

function detect(t: TestContext, bytes: Buffer, given?: Encoding): Promise<Encoding> {
  const path = join(makeFolder(t), "file");
  writeFileSync(path, bytes);
  return detectEncoding({ path, size: bytes.length, given }, () => {});
}

const LINE_ENDS = { CR: ["\r"], LF: ["\n"], CRLF: ["\r\n"], mixed: ["\r\n", "\r", "\n"] };
const FIRST_LINES = ["", "sep=;", '"SEP=;"'];
const NAMES = ["Zoë", "Größe € „Ä“ ÿ", "Rex"];

for (const [what, { encoding, encode }] of Object.entries(ENCODERS)) {
  test(`reads ${what} with every line end, with and without sep=, in pieces of any size`, async (t) => {
    for (const [kind, ends] of Object.entries(LINE_ENDS))
      for (const first of FIRST_LINES) {
        const heads = [...(first === "" ? [] : [first]), "name;categoryId;status"];
        const lines = [...heads, ...NAMES.map((name, i) => `${name};${i};sold`)];
        const text = lines.map((line, i) => line + ends[i % ends.length]).join("");
        const bytes = encode(text);
        assert.equal(await detect(t, bytes), encoding, `${kind} ${first}`);
        const expected = NAMES.map((name, i) => ({
          line: heads.length + 1 + i,
          pet: { name, categoryId: BigInt(i), status: "sold" },
        }));
        for (const pieceBytes of [1, 3, 1_000])
          assert.deepEqual(read(bytes, encoding, pieceBytes, "csv"), expected, `${kind} ${first}`);
      }
  });

  test(`reads NDJSON in ${what} with every line end`, async (t) => {
    for (const ends of Object.values(LINE_ENDS)) {
      const lines = NAMES.map(
        (name, i) => `${JSON.stringify({ name, categoryId: i })}${ends[i % ends.length]}`,
      );
      const bytes = encode(lines.join(""));
      assert.equal(await detect(t, bytes), encoding);
      assert.deepEqual(
        read(bytes, encoding, 5, "ndjson"),
        NAMES.map((name, i) => ({ line: i + 1, pet: { name, categoryId: BigInt(i) } })),
      );
    }
  });
}

test("reads every byte of Windows-1252 as its character, and rejects the five that have none", () => {
  for (const [index, letter] of [...HIGH].entries()) {
    const found = createDecoder("windows-1252").push(Buffer.from([0x41, 0x42, 0x43, 0x80 + index]));
    if (letter === "\0") assert.equal(isUtf8(found), false, `byte ${(0x80 + index).toString(16)}`);
    else assert.equal(found.toString(), `ABC${letter}`);
  }
});

test("keeps characters of two code units together, whatever the pieces of the file are", () => {
  const text = "name,categoryId\n🐕🐈,1\n";
  for (const { encoding, encode } of Object.values(ENCODERS).filter(
    (each) => each.encoding !== "windows-1252",
  ))
    for (const pieceBytes of [1, 2, 3, 5, 7])
      assert.deepEqual(read(encode(text), encoding, pieceBytes, "csv"), [
        { line: 2, pet: { name: "🐕🐈", categoryId: 1n } },
      ]);
});

const INVALID: Record<string, { encoding: Encoding; bytes: Buffer; problem: string }> = {
  "a byte that is not UTF-8": {
    encoding: "utf-8",
    bytes: Buffer.from("name,categoryId\nRex,1\nZo\xeb,2\nMia,3\n", "latin1"),
    problem: "the row is not UTF-8",
  },
  "half a surrogate pair in UTF-16": {
    encoding: "utf-16le",
    bytes: toUtf16("name,categoryId\nRex,1\nZo\ud83d,2\nMia,3\n"),
    problem: "the row is not UTF-16LE",
  },
  "a byte without a character in Windows-1252": {
    encoding: "windows-1252",
    bytes: Buffer.from("name,categoryId\nRex,1\nZo\x81,2\nMia,3\n", "latin1"),
    problem: "the row is not Windows-1252",
  },
};
for (const [what, { encoding, bytes, problem }] of Object.entries(INVALID)) {
  test(`reports the line of ${what}, and reads the other rows`, () => {
    for (const pieceBytes of [1, 1_000]) {
      const rows = read(bytes, encoding, pieceBytes, "csv");
      assert.deepEqual(rows[1], { line: 3, problem });
      assert.equal(rows.filter((row) => "pet" in row).length, 2);
    }
  });
}

test("rejects the last row of a UTF-16 file that ends inside a character", () => {
  const bytes = toUtf16("name,categoryId\nRex,1\nMia,3");
  for (const cut of [bytes.subarray(0, -1), Buffer.concat([bytes, toUtf16("\ud83d")])]) {
    const rows = read(cut, "utf-16le", 4, "csv");
    assert.deepEqual(rows.at(-1), { line: 3, problem: "the row is not UTF-16LE" });
  }
});

test("detects Windows-1252 by a byte at the very end of a long file", async (t) => {
  const long = `name,categoryId\n${"Rex,1\n".repeat(50_000)}`;
  assert.equal(await detect(t, toWindows1252(`${long}Zoë,1\n`)), "windows-1252");
  assert.equal(await detect(t, Buffer.from(`${long}Zoë,1\n`)), "utf-8");
});

test("does not read a UTF-8 file with one damaged character as Windows-1252", async (t) => {
  const damaged = Buffer.concat([Buffer.from("name,categoryId\nZoë,1\n"), Buffer.from([0xeb, 0x0a])]);
  assert.equal(await detect(t, damaged), "utf-8");
});

test("reads a UTF-8 file with a zero byte as UTF-8", async (t) => {
  assert.equal(await detect(t, Buffer.from("name,categoryId\nR\0x,1\n")), "utf-8");
});

const BINARY: Record<string, { bytes: Buffer; says: RegExp }> = {
  "an .xlsx file": {
    bytes: Buffer.from("504b0304140006000800000021", "hex"),
    says: /is a spreadsheet, not a text file\. .*save it as "CSV UTF-8"/,
  },
  "an .xls file": { bytes: Buffer.from("d0cf11e0a1b11ae100000000", "hex"), says: /is a spreadsheet/ },
  "a compressed file": { bytes: Buffer.from("1f8b0800", "hex"), says: /is compressed\. Unpack it first\./ },
  "a picture": {
    bytes: Buffer.from("89504e470d0a1a0a0000000d4948445200fffefd00", "hex"),
    says: /is not a text file\. .*"CSV UTF-8"/,
  },
};
for (const [what, { bytes, says }] of Object.entries(BINARY)) {
  test(`refuses ${what} and says what to do`, async (t) => {
    await assert.rejects(detect(t, bytes), says);
  });
}

test("refuses --encoding that differs from the byte order mark", async (t) => {
  const bytes = toUtf16("\uFEFFname,categoryId\n");
  await assert.rejects(
    detect(t, bytes, "windows-1252"),
    /Line 1 begins with the byte order mark of UTF-16LE, so the file is not Windows-1252\./,
  );
  assert.equal(await detect(t, bytes, "utf-16le"), "utf-16le");
});

test("counts as invalid exactly what isUtf8 rejects, in pieces of any size", () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.constantFrom("a", "ü", "€", "🐕", "\uffff").map((text) => Buffer.from(text)),
    fc.constantFrom(...["eda080", "c080", "f4908080", "e08080", "f0808080", "efbfbf"].map(fromHex)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (parts, pieceBytes) => {
      const bytes = Buffer.concat(parts);
      const counts = createUtf8Counts();
      for (let at = 0; at < bytes.length; at += pieceBytes) counts.push(bytes.subarray(at, at + pieceBytes));
      const { valid, invalid } = counts.end();
      assert.equal(invalid === 0, isUtf8(bytes));
      const outside = Array.from(bytes.toString()).filter((letter) => letter > "\x7f").length;
      if (invalid === 0) assert.equal(valid, outside);
    }),
  );
});

function fromHex(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
