// Runs once before all tests: finds or installs programs, builds the console, starts a PostgreSQL server for all tests.

import { buildConsole } from "../../../console/build.ts";
import { offerChromium } from "../clients/chromium.ts";
import { makePostgres, makePostgresTemplate } from "../servers/postgres.ts";
import { findPrograms } from "./packages.ts";

let remove: (() => Promise<void>) | undefined;
let removeTemplate: (() => void) | undefined;
let stopChromium: (() => Promise<void>) | undefined;

export async function globalSetup(): Promise<void> {
  // Before the first test: Debian's installer does not run twice at the same time.
  await findPrograms();
  await buildConsole();
  stopChromium = await offerChromium();
  removeTemplate = makePostgresTemplate();
  const made = await makePostgres();
  remove = made.remove;
  process.env.TEST_DATABASE_URL = made.server.urlOf("postgres");
}

export async function globalTeardown(): Promise<void> {
  removeTemplate?.();
  await Promise.all([remove?.(), stopChromium?.()]);
}
