// Empty databases on the PostgreSQL server of this test run.

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

/** Ends sessions that earlier tests have left open in a database of this role. */
export const END_OTHERS = `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** A new database, dropped with the server. */
export async function createDatabase(): Promise<string> {
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
export function askPostgres(url: string, sql: string): Promise<pg.QueryResult> {
  return withConnection(url, (client) => client.query(sql));
}

/** Resolves to what `work` resolves to; the connection then ends. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A connection until the test ends, for locks and looks that a test needs beside the service. */
export async function openClient(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The end of the test may drop the database first.
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}
