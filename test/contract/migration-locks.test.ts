// Migrations of a PostgreSQL database while another client reads for a long time, as pg_dump does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";

const WAITS = `SELECT FROM pg_locks
  WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'api_keys'::regclass`;
/** The step after the migration of shelters. */
const PREPARED = "SELECT to_regclass('pets_by_shelter') IS NOT NULL AS is_indexed";

test("a migration that waits for a reader does not block look-ups, and succeeds afterwards", async (t) => {
  const url = await createTestDatabase(t);
  const [service, newer] = [openPostgres(url, { poolSize: 2 }), openPostgres(url, { poolSize: 2 })];
  const dump = new pg.Client({ connectionString: url });
  const watcher = new pg.Client({ connectionString: url });
  await Promise.all([dump.connect(), watcher.connect()]);
  try {
    await migrate(service, 0, 4);
    await dump.query("BEGIN; LOCK TABLE api_keys IN ACCESS SHARE MODE");
    const migrated = migrate(newer, 0);
    // Twice, because the migration tries again; look-ups succeed each time.
    for (let round = 0; round < 2; round++) {
      while ((await watcher.query(WAITS)).rowCount === 0) await pause(10);
      assert.equal(await service.first("SELECT id FROM api_keys"), undefined);
    }
    await dump.query("COMMIT");
    assert.deepEqual(await migrated, [
      "versions",
      "events",
      "audit",
      "webhooks",
      "listings",
      "search",
      "photos",
      "usage",
      "waiting texts",
      "search index",
      "search texts",
      "imported rows",
      "shelters",
      "public door",
      "people",
      "server lineage",
    ]);
    const { rows } = await watcher.query(PREPARED);
    assert.deepEqual(rows, [{ is_indexed: true }]);
  } finally {
    await dump.end();
    await watcher.end();
    await Promise.all([service.close(), newer.close()]);
  }
});
