// Prepared statements of PostgreSQL's connections: callers with many forms of queries do not take them from others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";

const PREPARED =
  "SELECT count(*) AS total, count(*) FILTER (WHERE statement LIKE $1) AS found FROM pg_prepared_statements";

test("a query is prepared, however many forms another caller has used before", async (t) => {
  const db = openPostgres(await createTestDatabase(t), { poolSize: 1, deadlineMs: PATIENT_DATABASE_MS });
  t.after(() => db.close());
  for (let form = 0; form < 1_000; form++) await db.named(`SELECT ${form} + $1 AS sum`, [1n]);
  await db.named("SELECT 'of another key', $1 AS value", [1n]);
  const prepared = await db.first(PREPARED, ["%of another key%"]);
  assert.equal(prepared?.found, 1n);
  assert.ok(Number(prepared?.total) <= 301, `${prepared?.total} statements are prepared`);
});
