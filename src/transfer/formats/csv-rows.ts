// The rows of a CSV file, by the columns of its header.

import { OperatorError } from "../../tools/operator-error.ts";
import { findColumns, MEMBERS, type Places } from "./columns.ts";
import { readCells } from "./csv-columns.ts";
import { type CsvRecord, createCsvRecords, NOT_UTF8 } from "./csv-records.ts";
import { showDelimiter } from "./delimiters.ts";
import { ENCODING_NAMES } from "./encodings.ts";
import { isGuarded } from "./excel-text.ts";
import { describeReading, type FileRow, type FileRows, type RowOptions, type RowRules } from "./file-row.ts";
import { describeIgnored, type IgnoredColumn } from "./ignored-columns.ts";
import { withPhotos } from "./photo-names.ts";
import { PROFILE_COLUMNS, type ProfileColumn, readList } from "./profile-cells.ts";

interface Columns {
  places: Places;
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
        `Line ${header.line}, with the headings, cannot be read: ${explain(header)}. Save the file as "CSV UTF-8", or give its encoding with --encoding.`,
      );
    const places = findColumns(header.fields, { headings, photos, readAs: describeText() });
    columns = {
      places,
      ofProfile: PROFILE_COLUMNS.filter((column) => places[column] !== undefined),
      header: header.fields,
    };
    return found.slice(1).map(readRow);
  }

  function describeText(): string {
    return `${ENCODING_NAMES[encoding]} with the delimiter ${showDelimiter(records.delimiter())}`;
  }

  /** The records are UTF-8 in any case; the operator knows the encoding of the file. */
  function explain({ problem = "" }: CsvRecord): string {
    return problem === NOT_UTF8 ? `the row is not ${ENCODING_NAMES[encoding]}` : problem;
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
    if (fields === undefined) return { line, problem: explain(record) };
    const { places, ofProfile, header } = columns as Columns;
    if (fields.length !== header.length)
      return { line, problem: `the row has ${fields.length} fields, the first line has ${header.length}` };
    const cells = readCells(places, fields, excel);
    const isCategoryNamed = cells.categoryName !== undefined || places.categoryId === undefined;
    if (!excel && isGuarded(String(cells.name))) guarded += 1;
    const row = rules.readCells(cells, ofProfile, isCategoryNamed);
    if (places.photos === undefined) return { line, ...row };
    return { line, ...withPhotos(row, readList((fields[places.photos] ?? "").trim())) };
  }

  return {
    push: (bytes) => readAll(records.push(bytes)),
    end() {
      const last = readAll(records.end());
      if (columns === undefined) throw new OperatorError("The file is empty: it needs a line with headings.");
      return last;
    },
    reading: () => `csv ${describeReading(options, { delimiter: records.delimiter(), ...columns?.places })}`,
    delimiter: records.delimiter,
    ignoredColumns: () => (columns === undefined ? [] : findIgnored(columns)),
    guardedNames: () => guarded,
  };
}

/** Spreadsheet programs add columns without a heading. */
function findIgnored({ places, header }: Columns): IgnoredColumn[] {
  const read = new Set(Object.values(places));
  const names = header
    .map((heading) => heading.trim())
    .filter((name, place) => name !== "" && !read.has(place));
  return describeIgnored(
    names,
    MEMBERS.filter((member) => places[member] === undefined),
  );
}
