// Imported files and the progress of each import.

import type { Migration } from "./migration.ts";

export const imports: Migration = {
  version: 3,
  name: "imports",
  sqlite: [
    `CREATE TABLE imports (
      checksum BLOB PRIMARY KEY,
      reading TEXT NOT NULL,
      rows_done INTEGER NOT NULL,
      pets INTEGER NOT NULL,
      first_id INTEGER,
      last_id INTEGER,
      started_at_ms INTEGER NOT NULL,
      finished_at_ms INTEGER
    ) STRICT, WITHOUT ROWID`,
  ],
  postgres: [
    `CREATE TABLE imports (
      checksum BYTEA PRIMARY KEY,
      reading TEXT NOT NULL,
      rows_done BIGINT NOT NULL,
      pets BIGINT NOT NULL,
      first_id BIGINT,
      last_id BIGINT,
      started_at_ms BIGINT NOT NULL,
      finished_at_ms BIGINT
    )`,
  ],
};
