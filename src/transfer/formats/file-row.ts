// The rows of a file, and how they are read.

import type { ImportedPet } from "../../domain/animals/imported-pet.ts";
import type { FileFormat } from "./animal-text.ts";
import type { Headings } from "./columns.ts";
import type { Encoding } from "./encodings.ts";
import type { IgnoredColumn } from "./ignored-columns.ts";
import type { ProfileColumn } from "./profile-cells.ts";

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
   * Of the cells of a CSV row that are not empty, by column; `columns` are those of a profile in the file. Unless it has an
   * externalId, a row needs a name and a categoryName, or a categoryId if not `isCategoryNamed`.
   */
  readCells(cells: object, columns: readonly ProfileColumn[], isCategoryNamed: boolean): ReadRow;
  /** Of an animal in JSON, with its profile. */
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
