// Queries whose SQL depends on what is asked for: the first forms get a name, because the server would plan each one again.

import { createHash } from "node:crypto";
import type { Database, Queries, SqlValue, Statement } from "../database.ts";
import { selectPages } from "../json-pages.ts";
import { createStatement } from "../statements.ts";

/** Every connection keeps the plans of all named statements. Other forms are planned each time, which takes about 1 ms. */
const NAMED_MAX = 200;
const PLACEHOLDER = /\$(\d+)/g;

export function createNamedQueries(
  { first, batched }: Pick<Queries, "first" | "batched">,
  namedMax = NAMED_MAX,
): Database["named"] {
  const statements = new Map<string, Statement>();
  return (sql, values) => {
    const known = statements.get(sql);
    if (known !== undefined) return batched(known, values);
    if (statements.size >= namedMax) return first(sql, values);
    const fresh = toStatement(sql, values);
    statements.set(sql, fresh);
    return batched(fresh, values);
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
