// The search knows names apart from other texts, and SQLite indexes every text in the transaction of its change.

import type { Migration } from "./migration.ts";

/** Only which texts contain which trigrams: the text itself decides. The newest animal has the lowest row id, and comes first. */
const index = (table: string) => `CREATE VIRTUAL TABLE ${table} USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
)`;
/** With the default of 4, a merge inside a commit took 63 instead of 7 ms at a million animals (99th percentile of groups of 16). */
const MERGE_SEGMENTS = 8;
const mergeRarely = (table: string) =>
  `INSERT INTO ${table} (${table}, rank) VALUES ('automerge', ${MERGE_SEGMENTS})`;
const FORGET = `DELETE FROM pet_index WHERE rowid = -old.pet_id;
  DELETE FROM name_index WHERE rowid = -old.pet_id;`;

const STORE = [
  "ALTER TABLE store DROP COLUMN indexed_through",
  // The texts are written again after the migration, in steps.
  "UPDATE store SET texts_filled = 0",
];

/** Nodes of release 1.1.0 write `is_waiting` until the last of them is upgraded. */
export const searchTexts: Migration = {
  version: 15,
  name: "search texts",
  sqlite: [
    "DROP TRIGGER forget_pet_text",
    "DROP TRIGGER forget_changed_text",
    "DROP TABLE pet_index",
    "ALTER TABLE pet_texts ADD COLUMN name TEXT",
    index("pet_index"),
    index("name_index"),
    mergeRarely("pet_index"),
    mergeRarely("name_index"),
    `CREATE TRIGGER forget_pet_text AFTER DELETE ON pet_texts BEGIN ${FORGET} END`,
    ...STORE,
  ],
  postgres: [
    'ALTER TABLE pet_texts ADD COLUMN name TEXT COLLATE "C"',
    // It is created again after the migration, with both columns.
    "DROP INDEX IF EXISTS pet_texts_by_trigram",
    ...STORE,
  ],
};
