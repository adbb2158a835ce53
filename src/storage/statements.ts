// Statements that SQLite runs for each row of values, and PostgreSQL once for many: rows to write, or callers of the same moment.

import type { Database, SqlValue, Statement } from "./database.ts";

interface StatementOptions<One> extends Pick<Statement, "name"> {
  /** Name and type of each value, for example "id bigint". */
  values: string;
  isWrite?: boolean;
  one: One;
  /** SQL that reads all values from the table `input`, with the numbers of its rows from 1 in the column `n`. */
  many: (input: string) => string;
}

export function createStatement<One extends Statement["one"]>(
  options: StatementOptions<One>,
): Statement & { one: One } {
  const { name, values, isWrite = false, one, many } = options;
  const names = values.split(", ").map((each) => each.slice(0, each.indexOf(" ")));
  const input = `ROWS FROM (json_to_recordset($1) AS (${values})) WITH ORDINALITY AS input (${names.join(", ")}, n)`;
  return {
    name,
    isWrite,
    one,
    many: many(input),
    toJson: (rows) => JSON.stringify(rows.map((row) => toObject(names, row))),
  };
}

/** `Object.fromEntries` with its pairs would take twice as long. */
function toObject(names: string[], row: SqlValue[]): Record<string, string | number | null> {
  const members: Record<string, string | number | null> = {};
  names.forEach((name, index) => {
    members[name] = toJsonValue(row[index] ?? null);
  });
  return members;
}

/** As text where JSON has no exact type. */
function toJsonValue(value: SqlValue): string | number | null {
  if (typeof value === "bigint") return value.toString();
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}

/** Adds a value to a statement, and returns its placeholder. */
export type BindValue = (value: SqlValue) => string;

export function createBindValue(values: SqlValue[]): BindValue {
  return (value) => `$${values.push(value)}`;
}

/** SQL: a table of the ids in a text such as "7,3", numbered in their order. Any number of ids is one value. */
export function listedIds(engine: Database["engine"], ids: string): string {
  return engine === "sqlite"
    ? `(SELECT value AS id, key AS number FROM json_each('[' || ${ids} || ']')) AS listed`
    : `unnest(CAST('{' || ${ids} || '}' AS BIGINT[])) WITH ORDINALITY AS listed (id, number)`;
}
