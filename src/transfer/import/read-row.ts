// Reads the animal that a record of a file describes, and lists the problems of its cells.

import type { ImportedPet, KnownPet } from "../../domain/animals/imported-pet.ts";
import type { ProfileChanges } from "../../domain/animals/profile.ts";
import { CellFault } from "../formats/cell-values.ts";
import { type Fee, readFee, toFee } from "../formats/fee-values.ts";
import { type Column, PHOTOS } from "../formats/find-columns.ts";
import type { FileRecord } from "../formats/lines.ts";
import { PROFILE_KINDS } from "../formats/profile-cells.ts";
import { showField } from "./field-text.ts";
import { type CellOptions, PET_MEMBERS, readCell } from "./read-cell.ts";

/** A problem of one cell, or of the whole row. */
interface CellProblem {
  heading?: string | undefined;
  value?: string | undefined;
  message: string;
}

/** A category of the store, or one that the import will create. */
export interface NamedCategory {
  name: string;
  /** Undefined until it is assigned. */
  id: bigint | undefined;
  /** The number of good rows that have it. */
  rows: number;
}

export interface Row {
  line: number;
  endLine?: number | undefined;
  /** The values of the file, by heading. */
  fields: readonly unknown[];
  pet: ImportedPet;
  /** Not yet an id. */
  categoryName?: string | undefined;
  /** Not yet an id. */
  shelterName?: string | undefined;
  /** Found by its name. */
  category?: NamedCategory | undefined;
  /** The animal of the store that it changes. */
  known?: KnownPet | undefined;
  /** Names of files, or addresses. */
  photos: string[];
  /** Empty for a good row. */
  problems: CellProblem[];
}

export interface RowOptions extends CellOptions {
  columns: readonly Column[];
}

/** The heading of a member's column. */
export type HeadingOf = (member: string) => string | undefined;

export type ReadRow = (record: FileRecord) => Row;

const COMPANION = "goodWith.";
const CUSTOM = "custom.";

export function createRowReader(options: RowOptions): ReadRow {
  const { columns } = options;
  const feeColumns = columns.filter(({ member }) => member === "fee" || member === "fee.amount");
  const photoColumn = columns.find(({ member }) => member === PHOTOS);
  const readCells = createCellsReader(options);

  return (record) => {
    const { line, endLine, fields = [], problem } = record;
    const row: Row = { line, endLine, fields, pet: {}, photos: [], problems: [] };
    if (problem !== undefined) row.problems.push({ message: problem });
    else {
      const cells = readCells(row);
      row.categoryName = (cells.get("categoryName") as string | undefined)?.trim();
      row.shelterName = (cells.get("shelterName") as string | undefined)?.trim();
      row.photos = readPhotoNames(row, cells, photoColumn);
      row.pet = toPet(cells, readRowFee(row, cells, { feeColumns, options }));
    }
    return withEndLine(row);
  };
}

/** The values of a row by their members. */
type Cells = ReadonlyMap<string, unknown>;

function createCellsReader(options: RowOptions): (row: Row) => Cells {
  const { columns, check } = options;
  const listsOfColumns = columns.filter(({ kind, member }, index) => {
    return kind === "list" && columns.findIndex((column) => column.member === member) < index;
  });
  return (row) => {
    const cells = new Map<string, unknown>();
    for (const column of columns) {
      const value = readCell(row.fields[column.index], column, options);
      if (value instanceof CellFault) addProblem(row, column, value.message);
      if (value === undefined || value instanceof CellFault) continue;
      const before = cells.get(column.member);
      const isJoined = Array.isArray(before) && Array.isArray(value);
      // ASM3 repeats the first breed as the second.
      cells.set(column.member, isJoined ? [...new Set([...before, ...value])] : value);
    }
    for (const column of listsOfColumns) {
      const checked = check(column.member, cells.get(column.member) ?? []);
      if ("error" in checked) addProblem(row, column, checked.error.message);
    }
    return cells;
  };
}

/** Null to remove the fee. */
function readRowFee(
  row: Row,
  cells: Cells,
  { feeColumns, options }: { feeColumns: Column[]; options: RowOptions },
): Fee | null | undefined {
  const { settings, check } = options;
  const column = feeColumns.find(({ member }) => cells.has(member));
  const given = column && cells.get(column.member);
  if (column === undefined || given === null) return given as null | undefined;
  const own = (cells.get("fee.currency") as string | null | undefined) ?? undefined;
  const fee =
    column.kind === "fee"
      ? readFee(String(given), { column: own, setting: settings.currency })
      : toFee(given as number, own ?? settings.currency);
  const checked = fee instanceof CellFault ? { error: fee } : check("fee.amount", fee.amount);
  if ("error" in checked) addProblem(row, column, checked.error.message);
  return fee instanceof CellFault ? undefined : fee;
}

/** From a list in JSON, or from the list of a cell. */
function readPhotoNames(row: Row, cells: Cells, column: Column | undefined): string[] {
  const value = cells.get(PHOTOS) ?? [];
  const isList =
    Array.isArray(value) && value.every((name) => typeof name === "string" && name.trim() !== "");
  if (column !== undefined && !isList)
    addProblem(row, column, "photos must be a list of file names or addresses");
  return isList ? value : [];
}

function addProblem({ problems, fields }: Row, { heading, index }: Column, message: string): void {
  problems.push({ heading, value: showField(fields[index]), message });
}

/** A misplaced quote joins rows, so the problem says where the joined row ends. */
function withEndLine(row: Row): Row {
  const { endLine, problems } = row;
  if (endLine !== undefined)
    for (const problem of problems) problem.message += ` (the row ends on line ${endLine})`;
  return row;
}

function toPet(cells: Cells, fee: Fee | null | undefined): ImportedPet {
  const pet: Record<string, unknown> = {};
  const profile: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [member, value] of cells) {
    if (PET_MEMBERS.includes(member)) pet[member] = value;
    else if (member.startsWith(COMPANION) || member.startsWith(CUSTOM)) {
      const [group = "", part = ""] = member.split(".");
      groups[group] = { ...groups[group], [part]: value };
    } else if (Object.hasOwn(PROFILE_KINDS, member) && !member.startsWith("fee.")) profile[member] = value;
  }
  if (typeof cells.get("age") === "string") pet.estimatedBornOn = cells.get("age");
  if (fee !== undefined) profile.fee = fee;
  // All custom members are removed.
  if (cells.get("custom") === null) profile.custom = null;
  const changes: ProfileChanges = { ...profile, ...groups };
  return Object.keys(changes).length === 0 ? pet : { ...pet, profile: changes };
}
