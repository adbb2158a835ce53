// Texts of animals for the search. SQLite has the index over them here, PostgreSQL needs an extension for its own.

import { forBothEngines, type Migration } from "./migration.ts";

const TABLES = forBothEngines([
  "CREATE TABLE pet_texts (pet_id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
  // Whether all animals have a text. Those that exist now get theirs after the migration, in steps.
  "ALTER TABLE store ADD COLUMN texts_filled INTEGER NOT NULL DEFAULT 0",
  // SQLite: animals up to this id are in the index of texts.
  "ALTER TABLE store ADD COLUMN indexed_through INTEGER NOT NULL DEFAULT 0",
]);

export const search: Migration = {
  version: 10,
  name: "search",
  sqlite: [
    ...TABLES.sqlite,
    // Only which texts contain which trigrams: the text itself decides. A row has the negative id of its animal, because
    // reading in ascending order is 4 × as fast, and most lists begin with the newest animal.
    `CREATE VIRTUAL TABLE pet_index USING fts5(
      text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
    )`,
    // A merge inside a write can take seconds, so merges are steps of their own.
    "INSERT INTO pet_index (pet_index, rank) VALUES ('automerge', 0)",
    "INSERT INTO pet_index (pet_index, rank) VALUES ('crisismerge', 1999)",
    `CREATE TRIGGER delete_pet_text AFTER DELETE ON pets BEGIN
      DELETE FROM pet_texts WHERE pet_id = old.id;
    END`,
    `CREATE TRIGGER forget_pet_text AFTER DELETE ON pet_texts BEGIN
      DELETE FROM pet_index WHERE rowid = -old.pet_id;
    END`,
    `CREATE TRIGGER index_pet_text AFTER UPDATE ON pet_texts BEGIN
      DELETE FROM pet_index WHERE rowid = -old.pet_id;
      INSERT INTO pet_index (rowid, text)
        SELECT -new.pet_id, new.text FROM store WHERE new.pet_id <= indexed_through;
    END`,
  ],
  postgres: [
    ...TABLES.postgres,
    // Compares bytes, which is faster than by the rules of a language.
    `ALTER TABLE pet_texts ALTER COLUMN text TYPE TEXT COLLATE "C"`,
    `CREATE FUNCTION delete_pet_texts() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM pet_texts USING gone WHERE pet_id = gone.id;
        RETURN NULL;
      END
    $$`,
    `CREATE TRIGGER delete_pet_texts AFTER DELETE ON pets REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION delete_pet_texts()`,
    // A node with an older release writes no texts. The text is deleted, so that it is found missing.
    `CREATE FUNCTION delete_stale_pet_text() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM pet_texts WHERE pet_id = new.id;
        RETURN NULL;
      END
    $$`,
    `CREATE TRIGGER delete_stale_pet_text AFTER UPDATE OF name, category_id ON pets FOR EACH ROW
      WHEN (old.name <> new.name OR old.category_id <> new.category_id)
      EXECUTE FUNCTION delete_stale_pet_text()`,
  ],
};
