// Columns of a row as the types the domain uses, and many rows as one value.

import type { SqlValue } from "./database.ts";

/** A column that is never null. Small enough for a number: times and counts. */
export function toNumber(value: SqlValue | undefined): number {
  return Number(value);
}

export function toOptionalNumber(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** A column whose type the caller knows. */
export function toOptional<T extends SqlValue>(value: SqlValue | undefined): T | undefined {
  return (value ?? undefined) as T | undefined;
}

/**
 * Rows as one JSON object by their place, which `json_each` of both engines takes apart: `key` is the place, `value ->> 0`
 * the first column as text. Numbers go as text, so that none loses a digit.
 */
export function toJsonRows(rows: SqlValue[][]): string {
  const members = rows.map((row, place) => `"${place}":${JSON.stringify(row.map(toText))}`);
  return `{${members.join(",")}}`;
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value);
}
