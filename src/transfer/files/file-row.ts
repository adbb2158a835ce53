// The rows of a file, and how they are read.

import type { NewPet } from "../../domain/pet.ts";
import type { FileFormat } from "./animal-text.ts";
import type { Headings } from "./columns.ts";
import type { Encoding } from "./encodings.ts";

/** An animal as its row describes it: by the id or by the name of its category, or by both. */
export type RowPet = Omit<NewPet, "categoryId"> & {
  categoryId?: bigint | undefined;
  categoryName?: string | undefined;
};

export type FileRow<P = RowPet> = { line: number } & ({ pet: P } | { problem: string });

/** The rules of createPet, with the same messages as its responses. */
export interface RowRules {
  /** Throws if the bytes are not one JSON value in UTF-8. */
  parseJson(bytes: Buffer): unknown;
  /** Requires categoryName if `isCategoryNamed`, otherwise categoryId. */
  readPet(value: object, isCategoryNamed: boolean): { pet: RowPet } | { problem: string };
}

export interface FileRows {
  push(bytes: Buffer): FileRow[];
  end(): FileRow[];
  /** How the columns were read. Equal texts mean that the same rows give the same animals. */
  reading(): string;
  /** Undefined for NDJSON. */
  delimiter(): string | undefined;
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
}

/** The encoding is left out for UTF-8, because release 1.0 stored the texts of unfinished imports without it. */
export function describeReading({ encoding, excel }: RowOptions, columns: object): string {
  const other = { ...(encoding !== "utf-8" && { encoding }), ...(excel && { excel }) };
  return JSON.stringify({ ...columns, ...other });
}
