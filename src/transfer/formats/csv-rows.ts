// The rows of a CSV file, by the columns of its header.

import { parseInt64 } from "../../domain/basics/int64.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import {
  type ColumnIndexes,
  describeIgnored,
  findColumns,
  type IgnoredColumn,
  MEMBERS,
  type PHOTOS,
} from "./columns.ts";
import { type CsvRecord, createCsvRecords, NOT_UTF8 } from "./csv-records.ts";
import { isGuarded, showDelimiter, unguardFormula } from "./csv-text.ts";
import { ENCODING_NAMES, type Encoding } from "./encodings.ts";
import {
  describeReading,
  type FileRow,
  type FileRows,
  type RowOptions,
  type RowRules,
  withPhotos,
} from "./file-row.ts";
import { PROFILE_COLUMNS, type ProfileColumn, readList, readProfileCell } from "./profile-cells.ts";

interface Columns {
  indexes: ColumnIndexes;
  ofProfile: ProfileColumn[];
  header: string[];
}

export function createCsvRows(options: RowOptions, rules: RowRules): FileRows {
  const { headings, encoding, excel = false, photos } = options;
  const records = createCsvRecords(options.delimiter);
  let columns: Columns | undefined;
  let guarded = 0;

  function readAll(found: CsvRecord[]): FileRow[] {
    const [header] = found;
    if (columns !== undefined || header === undefined) return found.map(readRow);
    if (header.fields === undefined)
      throw new OperatorError(
        `Line ${header.line}, with the headings, cannot be read: ${explain(header, encoding)}. Save the file as "CSV UTF-8", or give its encoding with --encoding.`,
      );
    const readAs = `${ENCODING_NAMES[encoding]} with the delimiter ${showDelimiter(records.delimiter())}`;
    const indexes = findColumns(header.fields, { headings, photos, readAs });
    columns = {
      indexes,
      ofProfile: PROFILE_COLUMNS.filter((column) => indexes[column] !== undefined),
      header: header.fields,
    };
    return found.slice(1).map(readRow);
  }

  /** A misplaced quote joins rows, so the problem says where the joined row ends. */
  function readRow(record: CsvRecord): FileRow {
    const row = readFields(record);
    const { endLine } = record;
    if (endLine === undefined || !("problem" in row)) return row;
    return { ...row, problem: `${row.problem} (the row ends on line ${endLine})` };
  }

  function readFields(record: CsvRecord): FileRow {
    const { line, fields } = record;
    if (fields === undefined) return { line, problem: explain(record, encoding) };
    const { indexes, ofProfile, header } = columns as Columns;
    if (fields.length !== header.length)
      return { line, problem: `the row has ${fields.length} fields, the first line has ${header.length}` };
    const cells = readCells(indexes, fields, excel);
    const isCategoryNamed = cells.categoryName !== undefined || indexes.categoryId === undefined;
    if (!excel && isGuarded(String(cells.name))) guarded += 1;
    const row = rules.readCells(cells, ofProfile, isCategoryNamed);
    if (indexes.photos === undefined) return { line, ...row };
    return { line, ...withPhotos(row, readList((fields[indexes.photos] ?? "").trim())) };
  }

  return {
    push: (bytes) => readAll(records.push(bytes)),
    end() {
      const last = readAll(records.end());
      if (columns === undefined) throw new OperatorError("The file is empty: it needs a line with headings.");
      return last;
    },
    reading: () => `csv ${describeReading(options, { delimiter: records.delimiter(), ...columns?.indexes })}`,
    delimiter: records.delimiter,
    ignoredColumns: () => (columns === undefined ? [] : findIgnored(columns)),
    guardedNames: () => guarded,
  };
}

/** The records are UTF-8 in any case; the operator knows the encoding of the file. */
function explain({ problem = "" }: CsvRecord, encoding: Encoding): string {
  return problem === NOT_UTF8 ? `the row is not ${ENCODING_NAMES[encoding]}` : problem;
}

/** Spreadsheet programs add columns without a heading. */
function findIgnored({ indexes, header }: Columns): IgnoredColumn[] {
  const read = new Set(Object.values(indexes));
  const names = header
    .map((heading) => heading.trim())
    .filter((name, index) => name !== "" && !read.has(index));
  return describeIgnored(
    names,
    MEMBERS.filter((member) => indexes[member] === undefined),
  );
}

type Member = Exclude<keyof ColumnIndexes, typeof PHOTOS>;
type Cells = Partial<Record<Member, unknown>>;

/** Empty fields count as absent. */
function readCells({ photos: _, ...indexes }: ColumnIndexes, fields: string[], excel: boolean): Cells {
  const cells: Cells = {};
  for (const [name, index] of Object.entries(indexes)) {
    const member = name as Member;
    const cell = readCell(member, fields[index] ?? "", excel);
    if (cell !== undefined) cells[member] = cell;
  }
  return cells;
}

function readCell(member: Member, field: string, excel: boolean): unknown {
  // The white space around a description belongs to it.
  const trimmed = member === "description" ? field : field.trim();
  const text = excel && member !== "categoryId" ? unguardFormula(trimmed) : trimmed;
  if (text.trim() === "") return undefined;
  if (member === "categoryId") return parseInt64(text) ?? text;
  return isOfProfile(member) ? readProfileCell(member, text) : text;
}

function isOfProfile(member: Member): member is ProfileColumn {
  return (PROFILE_COLUMNS as readonly Member[]).includes(member);
}
