// The rows of a file: their form, the options of their readers, and the photos that they name.

import { win32 } from "node:path";
import type { ImportedPet } from "../../domain/animals/imported-pet.ts";
import { PHOTOS_PER_PET_MAX } from "../../domain/basics/count-limits.ts";
import { showText } from "../../tools/shown-text.ts";
import type { Headings, IgnoredColumn } from "./columns.ts";
import type { Encoding } from "./encodings.ts";
import type { ProfileColumn } from "./profile-cells.ts";

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** An animal as its row describes it: by the id or by the name of its category, or by both. */
export type RowPet = ImportedPet & { categoryName?: string | undefined };

/** `photos` are names of files. */
export type FileRow<P = RowPet> = { line: number } & (
  | { pet: P; photos?: string[] | undefined }
  | { problem: string }
);

type ReadRow = { pet: RowPet } | { problem: string };

/** The rules of createPet and updateProfile, with the same messages as their responses. */
export interface RowRules {
  /** Throws if the bytes are not one JSON value in UTF-8. */
  parseJson(bytes: Buffer): unknown;
  /**
   * Reads the cells of a CSV row that are not empty; `columns` are the file's columns of a profile. Unless it has an
   * externalId, a row needs a name and a categoryName, or a categoryId if not `isCategoryNamed`.
   */
  readCells(cells: object, columns: readonly ProfileColumn[], isCategoryNamed: boolean): ReadRow;
  /** Reads an animal in JSON, with its profile. */
  readObject(value: object, isCategoryNamed: boolean): ReadRow;
}

export interface FileRows {
  push(bytes: Buffer): FileRow[];
  end(): FileRow[];
  /** How the columns were read. Equal texts mean that the same rows give the same animals. */
  reading(): string;
  /** Undefined for NDJSON. */
  delimiter(): string | undefined;
  /** In the order of the file. */
  ignoredColumns(): IgnoredColumn[];
  /** How many names begin with an apostrophe as `export --excel` writes it, and keep it. */
  guardedNames(): number;
}

export interface RowOptions {
  format: FileFormat;
  headings: Headings;
  encoding: Encoding;
  /** CSV only. Detected in the first line if undefined. */
  delimiter?: string | undefined;
  /** CSV only. Removes the apostrophes that `export --excel` has added. */
  excel?: boolean | undefined;
  /** Whether the names of photo files are read. */
  photos?: boolean | undefined;
}

/** The encoding is left out for UTF-8, because release 1.0 stored the texts of unfinished imports without it. */
export function describeReading({ encoding, excel }: RowOptions, columns: object): string {
  const other = { ...(encoding !== "utf-8" && { encoding }), ...(excel && { excel }) };
  return JSON.stringify({ ...columns, ...other });
}

type PhotoNames = { photos: string[] } | { problem: string };

/** An export has addresses in this column. */
const ADDRESS = /^https?:/i;
const SEPARATORS = /[\\/]/;

/** From a list in JSON, or from the list of a cell. */
function readPhotoNames(value: unknown): PhotoNames {
  if (value === undefined || value === null) return { photos: [] };
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  if (!isList) return { problem: "photos must be a list of file names" };
  if (value.length > PHOTOS_PER_PET_MAX)
    return { problem: `photos has ${value.length} names, but an animal may have ${PHOTOS_PER_PET_MAX}` };
  const faults = value.flatMap((name) => findFault(name) ?? []);
  return faults.length > 0 ? { problem: faults.join("; ") } : { photos: value };
}

/** Adds the photos, or what is wrong with them, to what was read from the rest of the row. */
export function withPhotos<P extends object>(
  row: { pet: P } | { problem: string },
  value: unknown,
): { pet: P; photos: string[] } | { problem: string } {
  const names = readPhotoNames(value);
  const problems = [row, names].flatMap((each) => ("problem" in each ? each.problem : []));
  if ("pet" in row && "photos" in names) return { ...row, ...names };
  return { problem: problems.join("; ") };
}

function findFault(name: string): string | undefined {
  if (name.trim() === "") return "photos has an empty file name";
  if (ADDRESS.test(name))
    return `photo ${showText(name)} is an address, but --photos reads only files of its folder`;
  // The rules of Windows include the rules of other systems.
  const leadsOut = win32.isAbsolute(name) || name.split(SEPARATORS).includes("..") || name.includes("\0");
  return leadsOut ? `photo ${showText(name)} is not a path inside of the folder of --photos` : undefined;
}
