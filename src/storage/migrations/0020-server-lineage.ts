// The server that took writes last, and the versions with which it began: a standby may be promoted that lacks some.

import { forBothEngines, type Migration } from "./migration.ts";

export const serverLineage: Migration = {
  version: 20,
  name: "server lineage",
  ...forBothEngines([
    // All stay NULL on SQLite.
    "ALTER TABLE store ADD COLUMN server TEXT",
    "ALTER TABLE store ADD COLUMN server_pets INTEGER",
    "ALTER TABLE store ADD COLUMN server_keys INTEGER",
  ]),
};
