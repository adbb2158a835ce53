// The columns of a CSV file that are read, and how their fields become the cells of a row.

import { parseInt64 } from "../../domain/basics/int64.ts";
import type { PHOTOS, Places } from "./columns.ts";
import { unguardFormula } from "./excel-text.ts";
import { PROFILE_COLUMNS, type ProfileColumn, readProfileCell } from "./profile-cells.ts";

type Member = Exclude<keyof Places, typeof PHOTOS>;
export type Cells = Partial<Record<Member, unknown>>;

export interface CsvColumn {
  member: Member;
  place: number;
  /** Undefined for an empty field, which counts as absent. */
  read(field: string): unknown;
  /** The fields of valid rows. Undefined if most rows have their own, or if the cell is not valid by itself. */
  valid: Set<string> | undefined;
}

/** Different fields of a column that are remembered; most columns have fewer. */
const REMEMBERED_MAX = 1_000;
const NOT_REPEATED: readonly Member[] = [
  "externalId",
  "description",
  "videoUrl",
  "fee.amount",
  "fee.currency",
];

/** In the order of `MEMBERS`: the externalId comes before all columns with `valid`. */
export function createColumns({ photos: _, ...places }: Places, excel: boolean): CsvColumn[] {
  return Object.entries(places).map(([name, place]): CsvColumn => {
    const member = name as Member;
    const isRepeated = isOfProfile(member) && !NOT_REPEATED.includes(member);
    const read = createReader(member, excel);
    return isRepeated
      ? { member, place, read: remember(read), valid: new Set() }
      : { member, place, read, valid: undefined };
  });
}

/** Notes that this row is valid. */
export function noteValid(columns: CsvColumn[], fields: string[]): void {
  for (const { place, valid } of columns)
    if (valid !== undefined && valid.size < REMEMBERED_MAX) valid.add(fields[place] ?? "");
}

function createReader(member: Member, excel: boolean): (field: string) => unknown {
  // The white space around a description belongs to it.
  const isTrimmed = member !== "description";
  const isUnguarded = excel && member !== "categoryId";
  const toCell = createParser(member);
  return (field) => {
    const trimmed = isTrimmed ? field.trim() : field;
    const text = isUnguarded ? unguardFormula(trimmed) : trimmed;
    return text.trim() === "" ? undefined : toCell(text);
  };
}

function createParser(member: Member): (text: string) => unknown {
  if (member === "categoryId") return (text) => parseInt64(text) ?? text;
  return isOfProfile(member) ? (text) => readProfileCell(member, text) : (text) => text;
}

/** Reads equal fields once, unless they are empty. */
function remember(read: (field: string) => unknown): (field: string) => unknown {
  const known = new Map<string, unknown>();
  return (field) => {
    const cell = known.get(field);
    if (cell !== undefined) return cell;
    const fresh = read(field);
    if (fresh !== undefined && known.size < REMEMBERED_MAX) known.set(field, fresh);
    return fresh;
  };
}

function isOfProfile(member: Member): member is ProfileColumn {
  return (PROFILE_COLUMNS as readonly Member[]).includes(member);
}
