// Reads rows from a file of each format, and writes animals as lines of one.

import { largestUrls } from "../../domain/animals/listed-photo.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import { createCsvRows } from "./csv-rows.ts";
import { type CsvOptions, createCsvText } from "./csv-text.ts";
import { createDecoder } from "./decoder.ts";
import type { FileFormat, FileRows, RowOptions, RowRules } from "./file-row.ts";
import { createNdjsonRows, writeJson } from "./ndjson.ts";

/** The bytes of the file become new animals, or problems, each with its line. */
export function createFileRows(options: RowOptions, rules: RowRules): FileRows {
  const decoder = createDecoder(options.encoding);
  const rows = options.format === "csv" ? createCsvRows(options, rules) : createNdjsonRows(options, rules);
  return {
    ...rows,
    push: (bytes) => rows.push(decoder.push(bytes)),
    end: () => [...rows.push(decoder.end()), ...rows.end()],
  };
}

/** The options of CSV have no effect on other formats. */
export interface TextOptions extends CsvOptions {
  format: FileFormat;
  /** Where the addresses of photos begin. */
  publicUrl: string;
}

/** `head` is the text before the first animal. */
export interface AnimalText {
  head: string;
  row(listing: Listing): string;
}

export function createAnimalText(options: TextOptions): AnimalText {
  const { format, publicUrl } = options;
  const urlsOf = ({ photos }: Listing) => largestUrls(photos, publicUrl);
  if (format === "ndjson") return { head: "", row: (listing) => writeJson(listing, urlsOf(listing)) };
  const { head, row } = createCsvText(options);
  return { head, row: (listing) => row(listing, urlsOf(listing)) };
}
