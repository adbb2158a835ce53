// Queries whose SQL depends on what is asked for. PostgreSQL would plan each of them again, so the first forms get a name.

import { createHash } from "node:crypto";
import type { Database, Row, SqlValue, Statement } from "./database.ts";
import { selectPages } from "./json-pages.ts";
import { createStatement } from "./statements.ts";

/** Every connection keeps the plans of all named statements. Other forms are planned each time, which takes about 1 ms. */
const NAMED_MAX = 200;
const PLACEHOLDER = /\$(\d+)/g;

/** Runs a SELECT that returns one row. Its values, which must not be null, are $1, $2, … */
export type NamedQueries = (sql: string, values: SqlValue[]) => Promise<Row | undefined>;

/** Adds a value to a query, and returns its placeholder. */
export type BindValue = (value: SqlValue) => string;

export function createBindValue(values: SqlValue[]): BindValue {
  return (value) => `$${values.push(value)}`;
}

export function createNamedQueries(db: Database, namedMax = NAMED_MAX): NamedQueries {
  if (db.engine === "sqlite") return db.first;
  const statements = new Map<string, Statement>();
  return (sql, values) => {
    const known = statements.get(sql);
    if (known !== undefined) return db.batched(known, values);
    if (statements.size >= namedMax) return db.first(sql, values);
    const fresh = toStatement(sql, values);
    statements.set(sql, fresh);
    return db.batched(fresh, values);
  };
}

function toStatement(sql: string, values: SqlValue[]): Statement {
  const types = values.map((value, i) => `v${i + 1} ${typeof value === "string" ? "text" : "bigint"}`);
  return createStatement({
    // Another process behind the same pooler has the same name for the same SQL only.
    name: createHash("sha256").update(sql).digest("base64url"),
    values: types.join(", "),
    one: sql,
    many: (input) => selectPages(input, sql.replaceAll(PLACEHOLDER, "input.v$1")),
  });
}
