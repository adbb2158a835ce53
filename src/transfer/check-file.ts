// Checks a file of animals before an import: reads it completely and collects its bad rows.

import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import type { ImportedPet } from "../domain/imported-pet.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { type CategoryNames, type CategoryOptions, createCategoryNames } from "./category-names.ts";
import { detectEncoding } from "./detect-encoding.ts";
import type { Encoding } from "./files/encodings.ts";
import type { FileRow, FileRows, RowOptions } from "./files/file-row.ts";
import { createFileRows } from "./files/file-rows.ts";
import { createKnownPets, type FindKnown, type KnownPets } from "./known-pets.ts";
import type { Progress } from "./progress.ts";
import { readRowRules } from "./row-rules.ts";

/** Further bad rows are only counted, to save memory. */
const LISTED_MAX = 10_000;
const PORTION_BYTES = 2 ** 18;

/** The encoding is detected if it is undefined. */
export type FileOptions = Omit<RowOptions, "encoding"> & { encoding?: Encoding | undefined };

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
  /** Undefined for NDJSON. */
  delimiter: string | undefined;
  names: CategoryNames;
  known: KnownPets;
  /** Names with an apostrophe that may come from `export --excel`. */
  guardedNames: number;
  rows: number;
  /** The number of bad rows, and the first of them. */
  bad: number;
  badRows: BadRow[];
}

interface CheckOptions {
  categories: CategoryOptions;
  findKnown: FindKnown;
  onProgress: Progress;
}

/** Writes nothing. Throws an OperatorError for a file that cannot be read to its end. */
export async function checkFile(
  path: string,
  given: FileOptions,
  { categories, findKnown, onProgress }: CheckOptions,
): Promise<CheckedFile> {
  const size = sizeOf(path);
  const encoding = await detectEncoding({ path, size, given: given.encoding }, onProgress);
  const options = { ...given, encoding };
  const hash = createHash("sha256");
  const reader = createFileRows(options, await readRowRules());
  const names = createCategoryNames(categories);
  const known = createKnownPets(findKnown);
  const badRows: BadRow[] = [];
  let bytes = 0;
  let rows = 0;
  let bad = 0;
  for await (const portion of readPortions(path, reader, names)) {
    hash.update(portion.bytes);
    bytes += portion.bytes.length;
    rows += portion.rows.length;
    const found = (await known.settle(portion.rows)).filter((row) => "problem" in row);
    bad += found.length;
    badRows.push(...found.slice(0, LISTED_MAX - badRows.length));
    onProgress(bytes, size, "bytes checked");
  }
  return {
    ...{ path, options, names, known, rows, bad, badRows },
    checksum: hash.digest(),
    reading: reader.reading(),
    delimiter: reader.delimiter(),
    guardedNames: reader.guardedNames(),
  };
}

/** The rows that each portion of bytes completes. A last row without a line end comes with a final, empty portion. */
export async function* readPortions(
  path: string,
  reader: FileRows,
  names: CategoryNames,
): AsyncGenerator<{ bytes: Buffer; rows: Array<FileRow<ImportedPet>> }> {
  for await (const bytes of createReadStream(path, { highWaterMark: PORTION_BYTES })) {
    yield { bytes, rows: await names.settle(reader.push(bytes)) };
  }
  yield { bytes: Buffer.alloc(0), rows: await names.settle(reader.end()) };
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return found.size;
  throw new OperatorError(`There is no file ${path}. Relative paths start at ${process.cwd()}.`);
}
