// Databases on the PostgreSQL server of this test run: of a test alone, or taken over from an earlier test.

import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import pg from "pg";

/** A new database, dropped at the end of the test. */
export async function createTestDatabase(t: TestContext): Promise<string> {
  const url = await createDatabase();
  const name = new URL(url).pathname.slice(1);
  t.after(async () => void (await askPostgres(serverUrl(), `DROP DATABASE ${name} WITH (FORCE)`)));
  return url;
}

/** Databases that finished tests of this process have left. */
const left: string[] = [];
const EMPTY = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  DROP SCHEMA public CASCADE;
  CREATE SCHEMA public`;

/**
 * An empty database, for tests that change neither its settings nor rights. To empty the one of an earlier test takes a
 * twelfth of the CPU time of creating one.
 */
export async function takeTestDatabase(t: TestContext): Promise<string> {
  const found = left.pop();
  if (found !== undefined) await askPostgres(found, EMPTY);
  const url = found ?? (await createDatabase());
  t.after(() => void left.push(url));
  return url;
}

async function createDatabase(): Promise<string> {
  const url = new URL(serverUrl());
  url.pathname = `test_${randomBytes(6).toString("hex")}`;
  await askPostgres(serverUrl(), `CREATE DATABASE ${url.pathname.slice(1)}`);
  return url.href;
}

function serverUrl(): string {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined)
    throw new Error("Start the tests with npm test or node test/run.ts, which start the PostgreSQL server.");
  return server;
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
