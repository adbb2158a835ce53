// Queries whose SQL depends on what is asked for. They get a name as well, because the server would plan each one again.

import { createHash } from "node:crypto";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database, Queries, SqlValue, Statement } from "../database.ts";
import { selectPages } from "../json-pages.ts";
import { createStatement } from "../statements.ts";

/** The forms used last. To make the statement of another one takes 10 µs. */
const FORMS_MAX = 200;
const PLACEHOLDER = /\$(\d+)/g;

export function createNamedQueries({ batched }: Pick<Queries, "batched">): Database["named"] {
  const statements = createBoundedMap<string, Statement>(FORMS_MAX);
  return (sql, values) => {
    const statement = statements.get(sql) ?? toStatement(sql, values);
    statements.set(sql, statement);
    return batched(statement, values);
  };
}

function toStatement(sql: string, values: SqlValue[]): Statement {
  const types = values.map((value, i) => `v${i + 1} ${typeof value === "string" ? "text" : "bigint"}`);
  return createStatement({
    // Behind a pooler that was not recognised, other processes have the same name for the same SQL only.
    name: createHash("sha256").update(sql).digest("base64url"),
    values: types.join(", "),
    one: sql,
    many: (input) => selectPages(input, sql.replaceAll(PLACEHOLDER, "input.v$1")),
  });
}
