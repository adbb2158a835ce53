// Detects the encoding of a file, and converts its text to UTF-8.

import { isAscii } from "node:buffer";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import type { Progress } from "../progress.ts";
import {
  chooseEncoding,
  createUtf8Counts,
  ENCODING_NAMES,
  type Encoding,
  findByteOrderMark,
  findUtf16,
  HEAD_BYTES,
} from "./encodings.ts";
import { invalidFile } from "./lines.ts";

const SAVE_AS_CSV =
  'Open it in the program that wrote it and save it as "CSV UTF-8", then import the CSV file';
const SPREADSHEET = `is a spreadsheet, not a text file. ${SAVE_AS_CSV}`;
const SIGNATURES: Array<[bytes: string, problem: string]> = [
  ["504b0304", SPREADSHEET],
  ["d0cf11e0a1b11ae1", SPREADSHEET],
  ["1f8b", "is compressed. Unpack it first"],
];

interface Source {
  path: string;
  size: number;
  /** Undefined to detect it. */
  given: Encoding | undefined;
}

/** Reads the whole file if neither a byte order mark nor its beginning decides. Throws `invalid_file` for a binary file. */
export async function detectEncoding({ path, size, given }: Source, onProgress: Progress): Promise<Encoding> {
  const head = readHead(path);
  for (const [bytes, problem] of SIGNATURES)
    if (head.toString("hex").startsWith(bytes)) throw invalidFile(`The file ${problem}.`);
  const marked = findByteOrderMark(head);
  if (given !== undefined && marked !== undefined && given !== marked)
    throw invalidFile(
      `Line 1 begins with the byte order mark of ${ENCODING_NAMES[marked]}, so the file is not ${ENCODING_NAMES[given]}. Leave out the encoding.`,
    );
  const encoding = given ?? marked ?? findUtf16(head);
  if (encoding !== undefined) return encoding;
  const counts = createUtf8Counts(isAscii);
  let done = 0;
  for await (const bytes of createReadStream(path)) {
    counts.push(bytes);
    done += bytes.length;
    onProgress(done, size, "bytes read to detect the encoding");
  }
  const chosen = chooseEncoding(counts.end());
  if (chosen !== "utf-8" && head.includes(0))
    throw invalidFile(`The file is not a text file. ${SAVE_AS_CSV}.`);
  return chosen;
}

function readHead(path: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

export interface Decoder {
  push(bytes: Buffer): Buffer;
  /** Converts what is left at the end of the file. An incomplete character becomes an invalid byte. */
  end(): Buffer;
}

/** Never part of UTF-8. It replaces what the encoding does not allow, so that the reader rejects the row. */
const INVALID = 0xff;
const NOTHING = Buffer.alloc(0);
/** The longest byte order mark. */
const MARK_BYTES = 3;

/**
 * Not by TextDecoder: some releases of Node 24 read windows-1252 as ISO 8859-1, and it replaces invalid text by U+FFFD,
 * which is valid in a name.
 */
export function createDecoder(encoding: Encoding): Decoder {
  const { push, end } = createConverter(encoding);
  /** Undefined after the byte order mark was looked for. */
  let head: Buffer | undefined = NOTHING;

  function pushHead(bytes: Buffer, isEnding: boolean): Buffer {
    if (head === undefined) return push(bytes);
    head = Buffer.concat([head, bytes]);
    if (head.length < MARK_BYTES && !isEnding) return NOTHING;
    const hasMark = findByteOrderMark(head) === encoding;
    const text = hasMark ? head.subarray(encoding === "utf-8" ? MARK_BYTES : 2) : head;
    head = undefined;
    return push(text);
  }

  return {
    push: (bytes) => pushHead(bytes, false),
    end: () => Buffer.concat([pushHead(NOTHING, true), end()]),
  };
}

function createConverter(encoding: Encoding): Decoder {
  if (encoding === "utf-8") return { push: (bytes) => bytes, end: () => NOTHING };
  if (encoding === "windows-1252") return { push: convertWindows1252, end: () => NOTHING };
  return createUtf16Converter(encoding === "utf-16be");
}

/** The characters of the bytes 80 to 9F; a space stands for the five bytes without a character. */
const HIGH_CONTROLS = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
const WINDOWS_1252 = Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x80 || byte > 0x9f) return Buffer.from(String.fromCharCode(byte));
  const character = HIGH_CONTROLS[byte - 0x80] as string;
  return character === " " ? Buffer.from([INVALID]) : Buffer.from(character);
});

function convertWindows1252(bytes: Buffer): Buffer {
  if (isAscii(bytes)) return bytes;
  return Buffer.concat(Array.from(bytes, (byte) => WINDOWS_1252[byte] as Buffer));
}

function createUtf16Converter(isBigEndian: boolean): Decoder {
  /** Half a code unit, or the first half of a surrogate pair. */
  let rest: Buffer = NOTHING;

  function push(bytes: Buffer): Buffer {
    const all = Buffer.concat([rest, bytes]);
    let end = all.length - (all.length % 2);
    if (end > 0 && isHighSurrogate(all, end - 2)) end -= 2;
    rest = all.subarray(end);
    return convert(all.subarray(0, end));
  }

  function isHighSurrogate(units: Buffer, at: number): boolean {
    const high = units[isBigEndian ? at : at + 1] as number;
    return high >= 0xd8 && high <= 0xdb;
  }

  /** Changes the order of the given bytes: `all` is a copy. */
  function convert(units: Buffer): Buffer {
    const text = (isBigEndian ? units.swap16() : units).toString("utf16le");
    return text.isWellFormed() ? Buffer.from(text) : markLoneSurrogates(text);
  }

  return { push, end: () => (rest.length === 0 ? NOTHING : Buffer.from([INVALID])) };
}

function markLoneSurrogates(text: string): Buffer {
  const mark = Buffer.from([INVALID]);
  return Buffer.concat(
    Array.from(text, (character) => (character.isWellFormed() ? Buffer.from(character) : mark)),
  );
}
