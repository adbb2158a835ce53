// Reads records from a file of each format: the line, and the values by the file's headings. Writes animals as lines of one.

import { largestUrls } from "../../domain/animals/listed-photo.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import { type CsvRecord, createCsvRecords, NOT_UTF8 } from "./csv-records.ts";
import { type CsvOptions, createCsvText } from "./csv-text.ts";
import { createDecoder } from "./decoder.ts";
import { ENCODING_NAMES, type Encoding } from "./encodings.ts";
import { type FileRecord, type FileRecords, HEADINGS_MAX, invalidFile } from "./lines.ts";
import { createNdjsonRecords, writeJson } from "./ndjson.ts";

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

interface RecordOptions {
  format: FileFormat;
  encoding: Encoding;
  /** CSV only. Detected in the first line if undefined. */
  delimiter?: string | undefined;
}

export function createFileRecords(options: RecordOptions): FileRecords {
  const { format, encoding, delimiter } = options;
  const decoder = createDecoder(encoding);
  const records = format === "csv" ? createCsvTable(encoding, delimiter) : createNdjsonRecords(encoding);
  return {
    ...records,
    push: (bytes) => records.push(decoder.push(bytes)),
    end: () => [...records.push(decoder.end()), ...records.end()],
  };
}

/** CSV whose first record has the headings. */
function createCsvTable(encoding: Encoding, given: string | undefined): FileRecords {
  const records = createCsvRecords(given);
  let headings: string[] | undefined;

  function readAll([first, ...others]: CsvRecord[]): FileRecord[] {
    if (first === undefined) return [];
    if (headings !== undefined) return [first, ...others].map(checkLength);
    if (first.problem !== undefined)
      throw invalidFile(
        `Line ${first.line}, with the headings, cannot be read: ${explain(first)}. Save the file as "CSV UTF-8", or give its encoding.`,
      );
    if (first.fields.length > HEADINGS_MAX)
      throw invalidFile(`Line ${first.line} has more than ${HEADINGS_MAX} columns. Check the delimiter.`);
    headings = first.fields.map((heading) => heading.trim());
    return others.map(checkLength);
  }

  function checkLength(record: CsvRecord): FileRecord {
    const { fields, line, endLine } = record;
    const lines = { line, ...(endLine !== undefined && { endLine }) };
    if (record.problem !== undefined) return { ...lines, fields, problem: explain(record) };
    const expected = headings?.length ?? 0;
    if (fields.length === expected) return record;
    const count = fields.length === 1 ? "1 field" : `${fields.length} fields`;
    const problem = `the row has ${count}, the first line has ${expected}`;
    return { ...lines, fields, problem };
  }

  /** The records are UTF-8 in any case; people know the encoding of the file. */
  function explain({ problem = "" }: CsvRecord): string {
    return problem === NOT_UTF8 ? `the row is not ${ENCODING_NAMES[encoding]}` : problem;
  }

  return {
    push: (bytes) => readAll(records.push(bytes)),
    end() {
      const last = readAll(records.end());
      if (headings === undefined) throw invalidFile("The file is empty: it needs a line with headings.");
      return last;
    },
    headings: () => headings ?? [],
    delimiter: records.delimiter,
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
