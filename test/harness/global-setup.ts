// One PostgreSQL server for the whole run of the tests; each test makes a database of its own in it.

import { makePostgres } from "./postgres.ts";

let remove: (() => Promise<void>) | undefined;

export async function globalSetup(): Promise<void> {
  const made = await makePostgres();
  remove = made.remove;
  process.env.TEST_DATABASE_URL = made.server.urlOf("postgres");
}

export async function globalTeardown(): Promise<void> {
  await remove?.();
}
