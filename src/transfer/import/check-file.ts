// Checks a file of animals before an import: reads it completely and collects its bad rows. Reads the checked rows again.

import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { ImportedPet } from "../../domain/animals/imported-pet.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { IgnoredColumn } from "../formats/columns.ts";
import { detectEncoding } from "../formats/decoder.ts";
import type { Encoding } from "../formats/encodings.ts";
import { createFileRows } from "../formats/file-formats.ts";
import type { FileRow, FileRows, RowOptions } from "../formats/file-row.ts";
import type { Progress } from "../progress.ts";
import { type CategoryNames, type CategoryOptions, createCategoryNames } from "./category-names.ts";
import { createExistingPets, type ExistingPets, type FindKnown } from "./match-existing.ts";
import { createPhotoFiles, type PhotoFiles } from "./photo-files.ts";
import type { PhotoFolder } from "./photo-folder.ts";
import { readRowRules } from "./row-rules.ts";

/** The problems of further bad rows are not kept, to save memory. */
const LISTED_MAX = 10_000;
/** The rows of a portion are in memory together. */
const PORTION_BYTES = 2 ** 16;

/** The encoding is detected if it is undefined. */
export type FileOptions = Omit<RowOptions, "encoding"> & { encoding?: Encoding | undefined };

interface BadRow {
  line: number;
  problem: string;
}

interface BadRows {
  badLines: Set<number>;
  /** The first of them, with their problems. */
  badRows: BadRow[];
}

export interface CheckedFile extends BadRows {
  path: string;
  options: RowOptions;
  checksum: Buffer;
  /** One for each portion. */
  digests: Buffer[];
  /** How its columns were read. */
  reading: string;
  /** Undefined for NDJSON. */
  delimiter: string | undefined;
  names: CategoryNames;
  existing: ExistingPets;
  /** Undefined if photos are not read. */
  photos: PhotoFiles | undefined;
  /** How many files the valid rows name. */
  photoFiles: number;
  /** Whether photos were converted, which may have added bad rows. */
  isConverted: boolean;
  ignoredColumns: IgnoredColumn[];
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
  const reader = createFileRows(options, await readRowRules());
  const names = createCategoryNames(categories);
  const existing = createExistingPets(findKnown);
  const photos = folder && createPhotoFiles(folder);
  const found: BadRows = { badLines: new Set(), badRows: [] };
  const digests: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  let photoFiles = 0;
  for await (const portion of readPortions(path)) {
    digests.push(portion.digest);
    bytes += portion.bytes.length;
    const read = await names.resolveRows(readRows(reader, portion.bytes));
    rows += read.length;
    for (const row of await existing.resolveRows(photos?.resolveRows(read) ?? read)) {
      if ("problem" in row) addBadRow(found, row);
      else photoFiles += row.photos?.length ?? 0;
    }
    onProgress(bytes, size, "bytes checked");
  }
  return {
    path,
    options,
    names,
    existing,
    photos,
    photoFiles,
    rows,
    digests,
    ...found,
    isConverted: false,
    checksum: digests.at(-1) as Buffer,
    reading: reader.reading(),
    delimiter: reader.delimiter(),
    ignoredColumns: reader.ignoredColumns(),
    guardedNames: reader.guardedNames(),
  };
}

export function addBadRow({ badLines, badRows }: BadRows, { line, problem }: BadRow): void {
  badLines.add(line);
  if (badRows.length < LISTED_MAX) badRows.push({ line, problem });
}

/** The rows that each portion of the checked file completes. Throws the error of `changed` for other bytes or a missing file. */
export async function* readCheckedRows(
  { path, options, names, digests }: CheckedFile,
  changed: () => OperatorError,
): AsyncGenerator<Array<FileRow<ImportedPet>>> {
  if (!existsSync(path)) throw changed();
  const reader = createFileRows(options, await readRowRules());
  let portions = 0;
  for await (const { bytes, digest } of readPortions(path)) {
    if (digests[portions]?.equals(digest) !== true) throw changed();
    portions += 1;
    yield names.resolveRows(readRows(reader, bytes));
  }
}

interface Portion {
  bytes: Buffer;
  /** SHA-256 of the file up to the end of this portion. */
  digest: Buffer;
}

function readRows(reader: FileRows, bytes: Buffer): FileRow[] {
  return bytes.length > 0 ? reader.push(bytes) : reader.end();
}

/** Portions of the same length, except for the last ones: the end of the file, and an empty one. */
async function* readPortions(path: string): AsyncGenerator<Portion> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    for (let bytes = await readPortion(file); bytes.length > 0; bytes = await readPortion(file))
      yield { bytes, digest: hash.update(bytes).copy().digest() };
    yield { bytes: Buffer.alloc(0), digest: hash.digest() };
  } finally {
    await file.close();
  }
}

async function readPortion(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(PORTION_BYTES);
  let length = 0;
  // A read may return less than there is, for example from a network drive.
  for (let read = -1; read !== 0 && length < PORTION_BYTES; length += read)
    read = (await file.read(buffer, length, PORTION_BYTES - length)).bytesRead;
  return buffer.subarray(0, length);
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return found.size;
  if (found !== undefined)
    throw new OperatorError(
      `${path} is not a regular file. Give the path of a file, or send the rows to standard input with - as FILE.`,
    );
  throw new OperatorError(`There is no file ${path}. Relative paths start at ${process.cwd()}.`);
}
