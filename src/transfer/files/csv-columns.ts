// The columns of a CSV file that are read, and how their fields become the cells of a row.

import { parseInt64 } from "../../domain/int64.ts";
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
const PROFILE = new Set<Member>(PROFILE_COLUMNS);
const NOT_REPEATED = new Set<Member>(["externalId", "description", "videoUrl", "fee.amount", "fee.currency"]);

/** In the order of `MEMBERS`: the externalId comes before all columns with `valid`. */
export function createColumns({ photos: _, ...places }: Places, excel: boolean): CsvColumn[] {
  return Object.entries(places).map(([name, place]): CsvColumn => {
    const member = name as Member;
    const isRepeated = isOfProfile(member) && !NOT_REPEATED.has(member);
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
  const isUnguarded = excel && member !== "categoryId";
  return (field) => {
    // The white space around a description belongs to it.
    const text = member === "description" ? field : field.trim();
    const cell = isUnguarded ? unguardFormula(text) : text;
    if (cell.trim() === "") return undefined;
    if (member === "categoryId") return parseInt64(cell) ?? cell;
    return isOfProfile(member) ? readProfileCell(member, cell) : cell;
  };
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
  return PROFILE.has(member);
}
