// Named queries of PostgreSQL: every form of SQL is a statement with a name.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Statement } from "../../../src/storage/database.ts";
import { createNamedQueries } from "../../../src/storage/postgres/named-queries.ts";

test("a form of SQL is one statement, whose values are columns of its input", async () => {
  const statements: Statement[] = [];
  const named = createNamedQueries({ batched: async (statement) => void statements.push(statement) });
  for (const sql of ["SELECT $1, $2, $1", "SELECT 2 + $1", "SELECT $1, $2, $1"]) await named(sql, [1n, "a"]);
  const [first, second, again] = statements;
  assert.equal(first, again);
  assert.notEqual(first?.name, second?.name);
  assert.match(first?.many ?? "", /AS \(v1 bigint, v2 text\).*SELECT input\.v1, input\.v2, input\.v1/s);
});
