// Converts the rows of a CSV or NDJSON file to new animals, or to problems, each with its line.

import { parseInt64 } from "../../domain/int64.ts";
import type { NewPet } from "../../domain/pet.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { FileFormat } from "./animal-text.ts";
import { findColumns, type Headings, MEMBERS, type Places } from "./columns.ts";
import { type CsvRecord, createCsvRecords } from "./csv-records.ts";
import { createLines } from "./lines.ts";

export type FileRow = { line: number } & ({ pet: NewPet } | { problem: string });

/** The rules of createPet, with the same messages as its responses. */
export interface RowRules {
  /** Throws if the bytes are not one JSON value in UTF-8. */
  parseJson(bytes: Buffer): unknown;
  readNewPet(value: object): { pet: NewPet } | { problem: string };
}

export interface FileRows {
  push(bytes: Buffer): FileRow[];
  end(): FileRow[];
  /** How the columns were read. Equal texts mean that the same rows give the same animals. */
  reading(): string;
}

export interface RowOptions {
  format: FileFormat;
  headings: Headings;
  /** CSV only. Detected in the first line if undefined. */
  delimiter?: string | undefined;
}

export function createFileRows(options: RowOptions, rules: RowRules): FileRows {
  return options.format === "csv" ? createCsvRows(options, rules) : createNdjsonRows(options, rules);
}

function createCsvRows({ headings, delimiter }: RowOptions, rules: RowRules): FileRows {
  const records = createCsvRecords(delimiter);
  let columns: { places: Places; count: number } | undefined;

  function readAll(found: CsvRecord[]): FileRow[] {
    const [header] = found;
    if (columns !== undefined || header === undefined) return found.map(readRow);
    if (header.fields === undefined)
      throw new OperatorError(`The first line cannot be read: ${header.problem}. Save the file as UTF-8.`);
    columns = { places: findColumns(header.fields, headings), count: header.fields.length };
    return found.slice(1).map(readRow);
  }

  /** A misplaced quote joins rows, so the problem says where the joined row ends. */
  function readRow(record: CsvRecord): FileRow {
    const row = readFields(record);
    const { endLine } = record;
    if (endLine === undefined || !("problem" in row)) return row;
    return { ...row, problem: `${row.problem} (the row ends on line ${endLine})` };
  }

  function readFields({ line, fields, problem = "" }: CsvRecord): FileRow {
    if (fields === undefined) return { line, problem };
    const { places, count } = columns as NonNullable<typeof columns>;
    if (fields.length !== count)
      return { line, problem: `the row has ${fields.length} fields, the first line has ${count}` };
    const row: Record<string, unknown> = {};
    for (const member of MEMBERS) {
      const text = fields[places[member] ?? -1]?.trim() ?? "";
      // An empty field counts as absent.
      if (text !== "") row[member] = member === "categoryId" ? (parseInt64(text) ?? text) : text;
    }
    return { line, ...rules.readNewPet(row) };
  }

  return {
    push: (bytes) => readAll(records.push(bytes)),
    end() {
      const last = readAll(records.end());
      if (columns === undefined) throw new OperatorError("The file is empty: it needs a line with headings.");
      return last;
    },
    reading: () => `csv ${JSON.stringify({ delimiter: records.delimiter(), ...columns?.places })}`,
  };
}

function createNdjsonRows({ headings }: RowOptions, rules: RowRules): FileRows {
  const lines = createLines();
  const names = MEMBERS.map((member) => [member, headings[member] ?? member] as const);

  function readRow({ line, bytes }: { line: number; bytes: Buffer }): FileRow {
    const value = parse(bytes);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { line, problem: "the line is not one JSON object in UTF-8" };
    const given = value as Record<string, unknown>;
    const row = names.filter(([, name]) => Object.hasOwn(given, name));
    return {
      line,
      ...rules.readNewPet(Object.fromEntries(row.map(([member, name]) => [member, given[name]]))),
    };
  }

  function parse(bytes: Buffer): unknown {
    try {
      return rules.parseJson(bytes);
    } catch {
      return undefined;
    }
  }

  return {
    push: (bytes) => lines.push(bytes).map(readRow),
    end: () => lines.end().map(readRow),
    reading: () => `ndjson ${JSON.stringify(Object.fromEntries(names))}`,
  };
}
