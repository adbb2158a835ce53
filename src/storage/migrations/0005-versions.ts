// Versions of the data, stored with the data, and the nodes that serve it.

import { forBothEngines, type Migration } from "./migration.ts";

const TABLES = forBothEngines([
  `CREATE TABLE store (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch TEXT NOT NULL,
    keys_version INTEGER NOT NULL
  ) STRICT`,
  "ALTER TABLE api_keys ADD COLUMN version INTEGER NOT NULL DEFAULT 0",
  // Keys that never changed have version 0 and are not in the index.
  "CREATE INDEX api_keys_by_version ON api_keys (version) WHERE version > 0",
]);

export const versions: Migration = {
  version: 5,
  name: "versions",
  sqlite: [
    ...TABLES.sqlite,
    "INSERT INTO store (id, epoch, keys_version) VALUES (1, lower(hex(randomblob(8))), 0)",
  ],
  postgres: [
    ...TABLES.postgres,
    `INSERT INTO store (id, epoch, keys_version)
      VALUES (1, substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), 0)`,
    // SQLite has one node. Unlogged: a crash may empty it, and heartbeats write no WAL.
    "CREATE UNLOGGED TABLE nodes (id TEXT PRIMARY KEY, seen_at_ms BIGINT NOT NULL)",
  ],
};
