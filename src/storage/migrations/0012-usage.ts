// Counts of responses of all nodes: by minute for a day, by day for 90 days.

import { forBothEngines, type Migration } from "./migration.ts";

const STATEMENTS = forBothEngines([
  // Keys begin with the time, so that a flush changes few pages, and old rows are deleted together.
  `CREATE TABLE usage_minutes (
    minute INTEGER NOT NULL,
    key_id INTEGER NOT NULL,
    status INTEGER NOT NULL,
    responses INTEGER NOT NULL,
    PRIMARY KEY (minute, key_id, status)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE usage_days (
    day INTEGER NOT NULL,
    key_id INTEGER NOT NULL,
    operation TEXT NOT NULL,
    status INTEGER NOT NULL,
    responses INTEGER NOT NULL,
    PRIMARY KEY (day, key_id, operation, status)
  ) STRICT, WITHOUT ROWID`,
  // The newest part that each process has added to the counts.
  `CREATE TABLE usage_writers (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
]);

export const usage: Migration = {
  version: 12,
  name: "usage",
  sqlite: STATEMENTS.sqlite,
  // The order of bytes, as on SQLite: `copy` compares both engines in the order of keys.
  postgres: STATEMENTS.postgres.map((statement) =>
    statement.replace("operation TEXT", 'operation TEXT COLLATE "C"'),
  ),
};
