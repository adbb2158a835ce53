// The rows of a CSV file as animals, by the columns and rules of the command "import".

import type { Int64, PetStatus, ProfilePatch } from "../../../client/src/client.ts";
import { unguardFormula } from "../../../src/transfer/formats/csv-text.ts";
import {
  hasHalfFee,
  PROFILE_COLUMNS,
  type ProfileColumn,
  readProfileCell,
  toProfileChanges,
} from "../../../src/transfer/formats/profile-cells.ts";
import { findIdentifier } from "../shared/state/identifier.ts";
import { t } from "../shared/texts/language.ts";
import { type CsvRecord, readRecords, UNREADABLE } from "./csv.ts";
import type { CheckCell } from "./import-rules.ts";

const PET_COLUMNS = ["name", "categoryId", "categoryName", "status"] as const;
type Column = (typeof PET_COLUMNS)[number] | ProfileColumn;

/** An animal as its row describes it. Absent members stay unchanged. */
export interface RowPet {
  name?: string | undefined;
  categoryId?: Int64 | undefined;
  categoryName?: string | undefined;
  status?: PetStatus | undefined;
  profile?: ProfilePatch | undefined;
}

export type FileRow = { line: number } & (
  | { pet: RowPet }
  | { problem: string; categoryId?: Int64 | undefined }
);

/** Throws an Error for people if the file has no rows, or not the columns that it needs. */
export function readRows(text: string, check: CheckCell): FileRow[] {
  const [header, ...records] = readRecords(text);
  if (header === undefined) throw new Error(t().import.empty);
  if (header.fields?.some((heading) => heading.includes(UNREADABLE))) throw new Error(t().import.unreadable);
  const places = findPlaces(header.fields ?? []);
  const count = header.fields?.length ?? 0;
  return records.map((record) => readRow(record, places, count, check));
}

/** Ignores case and surrounding white space. */
function findPlaces(header: string[]): Map<Column, number> {
  const known = header.map((heading) => heading.trim().toLowerCase());
  const places = new Map<Column, number>();
  for (const column of [...PET_COLUMNS, ...PROFILE_COLUMNS]) {
    const place = known.indexOf(column.toLowerCase());
    if (place >= 0) places.set(column, place);
    if (place >= 0 && known.includes(column.toLowerCase(), place + 1))
      throw new Error(t().import.twice(column));
  }
  // A row may only change an animal that is known by its externalId.
  if (places.has("externalId")) return places;
  if (!places.has("name")) throw new Error(t().import.noColumn("name"));
  if (!places.has("categoryId") && !places.has("categoryName"))
    throw new Error(t().import.noColumn("categoryName"));
  return places;
}

function readRow(
  { line, fields }: CsvRecord,
  places: Map<Column, number>,
  count: number,
  check: CheckCell,
): FileRow {
  const texts = t().import;
  if (fields === undefined) return { line, problem: texts.faults.quote };
  if (fields.some((field) => field.includes(UNREADABLE))) return { line, problem: texts.faults.unreadable };
  if (fields.length !== count) return { line, problem: texts.faults.fields(fields.length, count) };
  const cells: Partial<Record<Column, unknown>> = {};
  const problems: string[] = [];
  for (const [column, place] of places) {
    const value = readCell(column, fields[place] ?? "");
    // An empty cell counts as absent.
    if (value === undefined) continue;
    const fault = column === "categoryName" ? undefined : check(column, value);
    if (fault !== undefined) problems.push(`${column}: ${fault}`);
    cells[column] = value;
  }
  const columns = PROFILE_COLUMNS.filter((column) => places.has(column));
  if (hasHalfFee(cells)) problems.push(texts.faults.fee);
  if (cells.externalId === undefined) problems.push(...findMissing(cells));
  if (problems.length > 0) {
    const categoryId = findIdentifier(String(cells.categoryId ?? ""));
    return { line, problem: problems.join("; "), categoryId };
  }
  const pet = Object.fromEntries(
    PET_COLUMNS.flatMap((column) => (column in cells ? [[column, cells[column]]] : [])),
  ) as RowPet;
  return {
    line,
    pet: columns.length === 0 ? pet : { ...pet, profile: toProfileChanges(columns, cells) as ProfilePatch },
  };
}

function readCell(column: Column, field: string): unknown {
  // The white space around a description belongs to it.
  const text = unguardFormula(column === "description" ? field : field.trim());
  if (text.trim() === "") return undefined;
  if (column === "categoryId") return findIdentifier(text) ?? text;
  if (column === "name" || column === "categoryName" || column === "status") return text;
  return readProfileCell(column, text);
}

/** A new animal needs a name and a category. */
function findMissing(cells: Partial<Record<Column, unknown>>): string[] {
  const { faults } = t().import;
  return [
    ...(cells.name === undefined ? [faults.noName] : []),
    ...(cells.categoryId === undefined && cells.categoryName === undefined ? [faults.noCategory] : []),
  ];
}
