// Reading columns of a row as the types the domain uses.

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
