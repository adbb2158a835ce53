// Reads one cell of a file as the value of its member.

import type { ImportSettings } from "../../domain/animals/animal-import.ts";
import { parseInt64 } from "../../domain/basics/int64.ts";
import {
  CellFault,
  type ColumnOrder,
  chooseOrder,
  isWordKind,
  readAge,
  readDate,
  readWord,
} from "../formats/cell-values.ts";
import { unguardFormula } from "../formats/csv-text.ts";
import type { FileFormat } from "../formats/file-records.ts";
import type { Column } from "../formats/find-columns.ts";
import { readList } from "../formats/profile-cells.ts";
import type { CheckMember } from "../member-check.ts";

export interface CellOptions {
  format: FileFormat;
  settings: ImportSettings;
  /** The order of dates in each column, by its index. */
  orders: readonly ColumnOrder[];
  check: CheckMember;
  /** Ages count from it. */
  nowMs: number;
  /** Removes the apostrophes that `export --excel` has added. */
  excel: boolean;
}

const IDENTIFIERS = ["categoryId", "shelterId"];
/** Members of an animal that are not in its profile. */
export const PET_MEMBERS = ["name", "status", ...IDENTIFIERS];
/** These cannot be removed. */
const REQUIRED_MEMBERS = [...PET_MEMBERS, "categoryName", "shelterName"];

/** A CellFault for a bad cell, undefined for an empty one, null to remove a member. */
export function readCell(field: unknown, column: Column, options: CellOptions): unknown {
  const { member, kind } = column;
  if (field === undefined || (field === null && !REQUIRED_MEMBERS.includes(member))) return field;
  const isText = typeof field === "string" || kind === "fee" || kind === "age";
  const value = isText ? readText(column, String(field), options) : field;
  if (value === undefined || value instanceof CellFault) return value;
  if (kind === "fee" || kind === "age" || kind === "photos") return value;
  const checked = options.check(member, value);
  if ("value" in checked) return checked.value;
  const also = kind === "boolean" ? ", or yes or no" : "";
  return new CellFault(`${checked.error.message}${also}`);
}

/** Undefined for an empty cell. Text that is not of the kind stays text, and the rules refuse it. */
function readText(column: Column, field: string, options: CellOptions): unknown {
  const { excel, settings, orders, nowMs, format } = options;
  const { kind, member, index, isOpposite, separators } = column;
  const isText = kind === "text" || kind === "lines" || kind === "list";
  const guarded = kind === "lines" ? field : field.trim();
  const text = excel && isText ? unguardFormula(guarded) : guarded;
  // In JSON, an empty description is not the same as none.
  if (text.trim() === "" && !(kind === "lines" && format === "ndjson")) return undefined;
  if (isWordKind(kind)) {
    const value = readWord(kind, text);
    if (!isOpposite || value === undefined) return value ?? text;
    return value === "yes" ? "no" : undefined;
  }
  switch (kind) {
    case "integer":
      return readInteger(member, text);
    case "date":
      return readDate(text, chooseOrder(settings.dateOrder, orders[index]));
    case "age":
      return readAge(text, nowMs);
    case "list":
    case "photos":
      return readList(text, separators);
    case "lines":
      // Programs that end lines with CRLF also do so inside of a cell.
      return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    default:
      return member === "fee.currency" ? text.toUpperCase() : text;
  }
}

function readInteger(member: string, text: string): unknown {
  const integer = parseInt64(text);
  if (integer === undefined) return text;
  return IDENTIFIERS.includes(member) ? integer : Number(integer);
}
