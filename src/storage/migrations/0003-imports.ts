// Imported files and the progress of each import.

import { forBothEngines, type Migration } from "./migration.ts";

export const imports: Migration = {
  version: 3,
  name: "imports",
  ...forBothEngines([
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
  ]),
};
