// Converts columns to the types of the domain, and many rows to one JSON value.

import type { SqlValue } from "./database.ts";

/** For columns that are never null and fit a number: times and counts. */
export function toNumber(value: SqlValue | undefined): number {
  return Number(value);
}

export function toOptionalNumber(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** For columns whose type the caller knows. */
export function toOptional<T extends SqlValue>(value: SqlValue | undefined): T | undefined {
  return (value ?? undefined) as T | undefined;
}

/**
 * Rows as one JSON object for `json_each` of both engines: `key` is the index of the row, `value ->> 0` its first column
 * as text. Numbers are sent as text, so that none loses a digit.
 */
export function toJsonRows(rows: SqlValue[][]): string {
  const members = rows.map((row, index) => `"${index}":${JSON.stringify(row.map(toText))}`);
  return `{${members.join(",")}}`;
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value);
}
