// A fresh database on the PostgreSQL server of this run of the tests, dropped with the test.

import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import pg from "pg";

export async function createTestDatabase(t: TestContext): Promise<string> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined)
    throw new Error("Run the tests by npm: it starts the PostgreSQL server that they need.");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await askPostgres(server, `CREATE DATABASE ${name}`);
  t.after(async () => void (await askPostgres(server, `DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

/** One statement on a connection of its own. */
export async function askPostgres(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
