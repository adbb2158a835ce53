// A new database on the PostgreSQL server of this test run, dropped at the end of the test.

import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import pg from "pg";

export async function createTestDatabase(t: TestContext): Promise<string> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined)
    throw new Error("Start the tests with npm test or node test/run.ts, which start the PostgreSQL server.");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await askPostgres(server, `CREATE DATABASE ${name}`);
  t.after(async () => void (await askPostgres(server, `DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

/** Runs one statement on a new connection. */
export async function askPostgres(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
