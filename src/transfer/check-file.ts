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
import { createPhotoFiles, type PhotoFiles } from "./photo-files.ts";
import type { PhotoFolder } from "./photo-folder.ts";
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

interface BadRows {
  /** The number of bad rows, and the first of them. */
  bad: number;
  badRows: BadRow[];
}

export interface CheckedFile extends BadRows {
  path: string;
  options: RowOptions;
  checksum: Buffer;
  /** How its columns were read. */
  reading: string;
  /** Undefined for NDJSON. */
  delimiter: string | undefined;
  names: CategoryNames;
  known: KnownPets;
  /** Undefined if photos are not read. */
  photos: PhotoFiles | undefined;
  /** How many files the valid rows name. */
  photoFiles: number;
  /** Whether photos were converted, which may have added bad rows to those of the check. */
  isConverted: boolean;
  /** Names with an apostrophe that may come from `export --excel`. */
  guardedNames: number;
  rows: number;
}

interface CheckOptions {
  categories: CategoryOptions;
  findKnown: FindKnown;
  /** Undefined if photos are not read. */
  folder?: PhotoFolder | undefined;
  onProgress: Progress;
}

/** Writes nothing. Throws an OperatorError for a file that cannot be read to its end. */
export async function checkFile(
  path: string,
  given: Omit<FileOptions, "photos">,
  { categories, findKnown, folder, onProgress }: CheckOptions,
): Promise<CheckedFile> {
  const size = sizeOf(path);
  const encoding = await detectEncoding({ path, size, given: given.encoding }, onProgress);
  const options = { ...given, encoding, photos: folder !== undefined };
  const hash = createHash("sha256");
  const reader = createFileRows(options, await readRowRules());
  const names = createCategoryNames(categories);
  const known = createKnownPets(findKnown);
  const photos = folder && createPhotoFiles(folder);
  const found: BadRows = { bad: 0, badRows: [] };
  let bytes = 0;
  let rows = 0;
  let photoFiles = 0;
  for await (const portion of readPortions(path, reader, names)) {
    hash.update(portion.bytes);
    bytes += portion.bytes.length;
    rows += portion.rows.length;
    const settled = await known.settle(photos?.settle(portion.rows) ?? portion.rows);
    addBadRows(
      found,
      settled.filter((row) => "problem" in row),
    );
    for (const row of settled) if ("pet" in row) photoFiles += row.photos?.length ?? 0;
    onProgress(bytes, size, "bytes checked");
  }
  return {
    ...{ path, options, names, known, photos, photoFiles, rows, ...found },
    isConverted: false,
    checksum: hash.digest(),
    reading: reader.reading(),
    delimiter: reader.delimiter(),
    guardedNames: reader.guardedNames(),
  };
}

export function addBadRows(all: BadRows, rows: BadRow[]): void {
  all.bad += rows.length;
  all.badRows.push(...rows.slice(0, LISTED_MAX - all.badRows.length));
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
