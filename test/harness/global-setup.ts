// Before all tests: every program that they need is there, the console is built, and one PostgreSQL server runs for all of them.

import { buildConsole } from "../../console/build.ts";
import { offerChromium } from "./chromium.ts";
import { findProgram, PROGRAMS } from "./packages.ts";
import { makePostgres } from "./postgres.ts";

let remove: (() => Promise<void>) | undefined;
let stopChromium: (() => Promise<void>) | undefined;

export async function globalSetup(): Promise<void> {
  // One after another and before the first test: Debian's installer takes no two at once.
  for (const program of Object.keys(PROGRAMS) as Array<keyof typeof PROGRAMS>) findProgram(program);
  await buildConsole();
  stopChromium = await offerChromium();
  const made = await makePostgres();
  remove = made.remove;
  process.env.TEST_DATABASE_URL = made.server.urlOf("postgres");
}

export async function globalTeardown(): Promise<void> {
  await Promise.all([remove?.(), stopChromium?.()]);
}
