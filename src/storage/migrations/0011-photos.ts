// Photos of animals, and images with their files, which several photos may share.

import { forBothEngines, type Migration } from "./migration.ts";

const TABLES = forBothEngines([
  // Apart from the files: SQLite rewrites a whole row, with all its bytes, when one column changes.
  `CREATE TABLE images (
    hash BLOB PRIMARY KEY,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    unreferenced_at_ms INTEGER
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX images_unreferenced ON images (unreferenced_at_ms)
    WHERE unreferenced_at_ms IS NOT NULL`,
  `CREATE TABLE image_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL REFERENCES images (hash) ON DELETE CASCADE,
    width INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT`,
  "CREATE UNIQUE INDEX image_files_by_width ON image_files (hash, width)",
  `CREATE TABLE photos (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    hash BLOB NOT NULL REFERENCES images (hash),
    alt TEXT NOT NULL
  ) STRICT`,
  "CREATE UNIQUE INDEX photos_by_pet ON photos (pet_id, hash)",
  "CREATE INDEX photos_by_image ON photos (hash)",
  // The JSON of the photos, so that a list of animals needs no other table.
  "ALTER TABLE pets ADD COLUMN photos TEXT",
]);

const REFERENCE = "UPDATE images SET unreferenced_at_ms = NULL WHERE hash = new.hash";
/** 0: a trigger does not know the clock of the service. Maintenance replaces it by the time. */
const RELEASE = `UPDATE images SET unreferenced_at_ms = 0
  WHERE hash = old.hash AND NOT EXISTS (SELECT 1 FROM photos WHERE photos.hash = old.hash)`;

/** Triggers, because a node with an older release may delete an animal, which deletes its photos. */
export const photos: Migration = {
  version: 11,
  name: "photos",
  sqlite: [
    ...TABLES.sqlite,
    `CREATE TRIGGER reference_image AFTER INSERT ON photos BEGIN ${REFERENCE}; END`,
    `CREATE TRIGGER release_image AFTER DELETE ON photos BEGIN ${RELEASE}; END`,
  ],
  postgres: [
    ...TABLES.postgres,
    ...rowTrigger("reference_image", "INSERT", REFERENCE),
    ...rowTrigger("release_image", "DELETE", RELEASE),
  ],
};

function rowTrigger(name: string, event: string, statement: string): string[] {
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON photos FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ];
}
