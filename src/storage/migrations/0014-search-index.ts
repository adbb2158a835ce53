// SQLite's index of texts gets longer grams, whose lists are shorter. The periodic job fills it again.

import type { Migration } from "./migration.ts";

export const searchIndex: Migration = {
  version: 14,
  name: "search index",
  sqlite: [
    // The service itself adds changed texts, because SQL cannot make the grams.
    "DROP TRIGGER index_pet_text",
    `CREATE TRIGGER forget_changed_text AFTER UPDATE OF text ON pet_texts BEGIN
      DELETE FROM pet_index WHERE rowid = -old.pet_id;
    END`,
    "INSERT INTO pet_index (pet_index) VALUES ('delete-all')",
    "UPDATE store SET indexed_through = 0",
  ],
  postgres: [],
};
