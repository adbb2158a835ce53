// The columns of a CSV file that are read, and how their fields become the cells of a row.

import { parseInt64 } from "../../domain/basics/int64.ts";
import type { PHOTOS, Places } from "./columns.ts";
import { unguardFormula } from "./excel-text.ts";
import { PROFILE_COLUMNS, type ProfileColumn, readProfileCell } from "./profile-cells.ts";

type Member = Exclude<keyof Places, typeof PHOTOS>;
export type Cells = Partial<Record<Member, unknown>>;

/** Empty fields count as absent. */
export function readCells({ photos: _, ...places }: Places, fields: string[], excel: boolean): Cells {
  const cells: Cells = {};
  for (const [name, place] of Object.entries(places)) {
    const member = name as Member;
    const cell = readCell(member, fields[place] ?? "", excel);
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
