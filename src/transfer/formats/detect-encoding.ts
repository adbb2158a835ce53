// Detects the encoding of a file before it is read, and refuses files that are not text.

import { isAscii } from "node:buffer";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Progress } from "../progress.ts";
import {
  chooseEncoding,
  ENCODING_NAMES,
  type Encoding,
  findByteOrderMark,
  findUtf16,
  HEAD_BYTES,
} from "./encodings.ts";
import { createUtf8Counts } from "./utf8-counts.ts";

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
  /** The encoding that the operator gave. */
  given: Encoding | undefined;
}

/** Reads the whole file if neither a byte order mark nor its beginning decides. Throws an OperatorError for a binary file. */
export async function detectEncoding({ path, size, given }: Source, onProgress: Progress): Promise<Encoding> {
  const head = readHead(path);
  for (const [bytes, problem] of SIGNATURES)
    if (head.toString("hex").startsWith(bytes)) throw new OperatorError(`${path} ${problem}.`);
  const marked = findByteOrderMark(head);
  if (given !== undefined && marked !== undefined && given !== marked)
    throw new OperatorError(
      `Line 1 begins with the byte order mark of ${ENCODING_NAMES[marked]}, so the file is not ${ENCODING_NAMES[given]}. Run the command without --encoding.`,
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
    throw new OperatorError(`${path} is not a text file. ${SAVE_AS_CSV}.`);
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
