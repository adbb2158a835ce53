// Texts of an import wait for PostgreSQL's index, which would otherwise take half of its time.

import { forBothEngines, type Migration } from "./migration.ts";

// SQLite knows by the id which texts are in its index.
const COLUMN = forBothEngines(["ALTER TABLE pet_texts ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0"]);

export const waitingTexts: Migration = {
  version: 13,
  name: "waiting texts",
  sqlite: COLUMN.sqlite,
  postgres: [
    ...COLUMN.postgres,
    "CREATE INDEX pet_texts_waiting ON pet_texts (pet_id) WHERE is_waiting = 1",
    // It is created again after the migration, without the texts that wait.
    "DROP INDEX IF EXISTS pet_texts_by_trigram",
  ],
};
