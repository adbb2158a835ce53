// Named queries of PostgreSQL: the first forms of SQL get a name, the others are sent as they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Statement } from "../../../src/storage/database.ts";
import { createNamedQueries } from "../../../src/storage/postgres/named-queries.ts";

test("only the first forms of SQL become statements, whose values are columns of their input", async () => {
  const statements: Statement[] = [];
  const plain: string[] = [];
  const named = createNamedQueries(
    {
      first: async (sql) => void plain.push(sql),
      batched: async (statement) => void statements.push(statement),
    },
    2,
  );
  for (const sql of ["SELECT $1, $2, $1", "SELECT 2 + $1", "SELECT 3 + $1", "SELECT 2 + $1"])
    await named(sql, [1n, "a"]);
  assert.deepEqual(plain, ["SELECT 3 + $1"]);
  assert.equal(new Set(statements).size, 2);
  assert.equal(statements[1], statements[2]);
  const [first] = statements;
  assert.match(first?.many ?? "", /AS \(v1 bigint, v2 text\).*SELECT input\.v1, input\.v2, input\.v1/s);
  assert.notEqual(first?.name, statements[1]?.name);
});
