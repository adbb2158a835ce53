// Statements that SQLite runs for each caller, and PostgreSQL once for all callers that wait at the same time.

import type { BatchStatement, SqlValue } from "./database.ts";

interface BatchOptions {
  /** Unique among all statements. */
  name: string;
  /** Name and type of each value, for example "id bigint". */
  values: string;
  isWrite?: boolean;
  one: BatchStatement["one"] | string;
  /** SQL that reads the values of all callers from the table `input`, with their numbers from 1 in the column `n`. */
  many: (input: string) => string;
}

export function createBatchStatement(options: BatchOptions): BatchStatement {
  const { name, values, isWrite = false, one, many } = options;
  const names = values.split(", ").map((each) => each.slice(0, each.indexOf(" ")));
  const input = `ROWS FROM (json_to_recordset($1) AS (${values})) WITH ORDINALITY AS input (${names.join(", ")}, n)`;
  return {
    name,
    isWrite,
    one: typeof one === "string" ? (queries, bound) => queries.first(one, bound) : one,
    many: many(input),
    toJson: (callers) => JSON.stringify(callers.map((bound) => toObject(names, bound))),
  };
}

/** `Object.fromEntries` with its pairs would take twice as long. */
function toObject(names: string[], bound: SqlValue[]): Record<string, string | number | null> {
  const row: Record<string, string | number | null> = {};
  names.forEach((name, index) => {
    row[name] = toJsonValue(bound[index] ?? null);
  });
  return row;
}

/** As text where JSON has no exact type. */
function toJsonValue(value: SqlValue): string | number | null {
  if (typeof value === "bigint") return value.toString();
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}
