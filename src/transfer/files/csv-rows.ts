// The rows of a CSV file, by the columns of its header.

import { parseInt64 } from "../../domain/int64.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { findColumns, MEMBERS, type PHOTOS, type Places } from "./columns.ts";
import { type CsvRecord, createCsvRecords, NOT_UTF8 } from "./csv-records.ts";
import { showDelimiter } from "./delimiters.ts";
import { ENCODING_NAMES } from "./encodings.ts";
import { isGuarded, unguardFormula } from "./excel-text.ts";
import { describeReading, type FileRow, type FileRows, type RowOptions, type RowRules } from "./file-row.ts";
import { describeIgnored, type IgnoredColumn } from "./ignored-columns.ts";
import { withPhotos } from "./photo-names.ts";
import {
  isListColumn,
  PROFILE_COLUMNS,
  type ProfileColumn,
  REMEMBERED_MAX,
  readList,
  readProfileCell,
} from "./profile-cells.ts";

type Member = Exclude<keyof Places, typeof PHOTOS>;
const PROFILE = new Set<Member>(PROFILE_COLUMNS);

interface Columns {
  places: Places;
  /** Those of the file that are read. */
  members: Array<[member: Member, place: number]>;
  ofProfile: ProfileColumn[];
  header: string[];
}

export function createCsvRows(options: RowOptions, rules: RowRules): FileRows {
  const { headings, encoding, excel = false, photos } = options;
  const records = createCsvRecords(options.delimiter);
  const readCellOfProfile = createCellReader();
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
    const { photos: _, ...others } = places;
    columns = {
      places,
      members: Object.entries(others) as Array<[Member, number]>,
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
    const { places, members, ofProfile, header } = columns as Columns;
    if (fields.length !== header.length)
      return { line, problem: `the row has ${fields.length} fields, the first line has ${header.length}` };
    const cells: Partial<Record<Member, unknown>> = {};
    for (const [member, place] of members) {
      const text = readText(member, fields[place] ?? "");
      // An empty cell counts as absent.
      if (text.trim() !== "") cells[member] = readCell(member, text);
    }
    const isCategoryNamed = cells.categoryName !== undefined || places.categoryId === undefined;
    if (!excel && isGuarded(String(cells.name))) guarded += 1;
    const row = rules.readCells(cells, ofProfile, isCategoryNamed);
    if (places.photos === undefined) return "pet" in row ? { line, pet: row.pet } : { line, ...row };
    return { line, ...withPhotos(row, readList((fields[places.photos] ?? "").trim())) };
  }

  function readText(member: Member, field: string): string {
    // The white space around a description belongs to it.
    const text = member === "description" ? field : field.trim();
    return excel && member !== "categoryId" ? unguardFormula(text) : text;
  }

  function readCell(member: Member, text: string): unknown {
    if (member === "categoryId") return parseInt64(text) ?? text;
    return isOfProfile(member) ? readCellOfProfile(member, text) : text;
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

/** Equal lists of a column become the same one, which is then validated once. */
function createCellReader(): typeof readProfileCell {
  const columns = PROFILE_COLUMNS.filter(isListColumn);
  const lists = new Map(columns.map((column) => [column, new Map<string, unknown>()]));
  return (column, text) => {
    const remembered = lists.get(column);
    const known = remembered?.get(text);
    if (known !== undefined) return known;
    const value = readProfileCell(column, text);
    if (remembered !== undefined && remembered.size < REMEMBERED_MAX) remembered.set(text, value);
    return value;
  };
}

function isOfProfile(member: Member): member is ProfileColumn {
  return PROFILE.has(member);
}
