// Checks a file of animals before an import: reads it completely and collects its bad rows.

import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { OperatorError } from "../tools/operator-error.ts";
import { createFileRows, type FileRow, type FileRows, type RowOptions } from "./files/file-rows.ts";
import { readRowRules } from "./row-rules.ts";

/** Further bad rows are only counted, to save memory. */
const LISTED_MAX = 10_000;
const PORTION_BYTES = 2 ** 18;

export type Progress = (done: number, total: number, what: string) => void;

interface BadRow {
  line: number;
  problem: string;
}

export interface CheckedFile {
  path: string;
  options: RowOptions;
  checksum: Buffer;
  /** How its columns were read. */
  reading: string;
  rows: number;
  /** The number of bad rows, and the first of them. */
  bad: number;
  badRows: BadRow[];
}

/** Writes nothing. Throws an OperatorError for a file that cannot be read to its end. */
export async function checkFile(
  path: string,
  options: RowOptions,
  onProgress: Progress,
): Promise<CheckedFile> {
  const size = sizeOf(path);
  const hash = createHash("sha256");
  const reader = createFileRows(options, await readRowRules());
  const badRows: BadRow[] = [];
  let bytes = 0;
  let rows = 0;
  let bad = 0;
  for await (const portion of readPortions(path, reader)) {
    hash.update(portion.bytes);
    bytes += portion.bytes.length;
    rows += portion.rows.length;
    const found = portion.rows.filter((row) => "problem" in row);
    bad += found.length;
    badRows.push(...found.slice(0, LISTED_MAX - badRows.length));
    onProgress(bytes, size, "bytes checked");
  }
  return { path, options, checksum: hash.digest(), reading: reader.reading(), rows, bad, badRows };
}

/** The rows that each portion of bytes completes. A last row without a line end comes with a final, empty portion. */
export async function* readPortions(
  path: string,
  reader: FileRows,
): AsyncGenerator<{ bytes: Buffer; rows: FileRow[] }> {
  for await (const bytes of createReadStream(path, { highWaterMark: PORTION_BYTES })) {
    yield { bytes, rows: reader.push(bytes) };
  }
  yield { bytes: Buffer.alloc(0), rows: reader.end() };
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return found.size;
  throw new OperatorError(`There is no file ${path}. Relative paths start at ${process.cwd()}.`);
}
