// Commands on a PostgreSQL server that is busy: they wait longer than a request does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { runInHost } from "../harness/clients/commands.ts";
import { startPostgres } from "../harness/servers/postgres.ts";

/** A request has 1.45 s for a read or a transaction. */
const FROZEN_MS = 2_000;

test("a command waits for a server that gives no answer for two seconds", async (t) => {
  const server = await startPostgres(t);
  const environment = { DATABASE_URL: await server.createDatabase() };
  const migrated = await runInHost(["migrate"], environment);
  assert.equal(migrated.code, 0, migrated.stderr);
  server.signal("SIGSTOP");
  const listing = runInHost(["keys", "list", "--json"], environment);
  await pause(FROZEN_MS);
  server.signal("SIGCONT");
  const { code, stdout, stderr } = await listing;
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), []);
});
