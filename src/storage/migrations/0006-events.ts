// Changes of categories in the history.

import { forBothEngines, type Migration } from "./migration.ts";

export const events: Migration = {
  version: 6,
  name: "events",
  ...forBothEngines([
    // A change of a category has no animal: its pet_id is 0, which no animal has. NULL would need a new table on SQLite.
    "ALTER TABLE history ADD COLUMN category_id INTEGER",
  ]),
};
