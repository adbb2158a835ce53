// Shelters: every animal belongs to one, and a key may be limited to one.

import { FIRST_SHELTER } from "../../domain/shelters/shelter.ts";
import { forBothEngines, type Migration } from "./migration.ts";

/** `details` is JSON. City and location are copies of its members, for listings and for the search by distance. */
const SHELTERS = `CREATE TABLE shelters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  details TEXT NOT NULL,
  city TEXT,
  latitude REAL,
  longitude REAL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT`;

const TABLES = forBothEngines([
  SHELTERS,
  "ALTER TABLE api_keys ADD COLUMN shelter_id INTEGER REFERENCES shelters (id)",
  "ALTER TABLE history ADD COLUMN shelter_id INTEGER",
]);
const INDEX = "CREATE INDEX IF NOT EXISTS pets_by_shelter ON pets (shelter_id, id)";

/** The engine assigns the id: the next shelter gets 2. */
function addFirst(nowMs: string): string {
  return `INSERT INTO shelters (name, details, created_at_ms, updated_at_ms)
    SELECT '${FIRST_SHELTER.name}', '{}', now_ms, now_ms FROM (SELECT ${nowMs} AS now_ms) AS times`;
}

/** Nodes of release 1.1.0 add animals without a shelter: they belong to the first one. */
const COLUMN = `ALTER TABLE pets ADD COLUMN shelter_id INTEGER NOT NULL DEFAULT ${FIRST_SHELTER.id}`;

export const shelters: Migration = {
  version: 17,
  name: "shelters",
  sqlite: [
    ...TABLES.sqlite,
    addFirst("CAST(unixepoch('subsec') * 1000 AS INTEGER)"),
    COLUMN,
    INDEX,
    // While foreign keys are checked, SQLite adds no column that has both a reference and a default.
    `CREATE TRIGGER keep_shelter_with_pets BEFORE DELETE ON shelters
      WHEN EXISTS (SELECT 1 FROM pets WHERE shelter_id = old.id)
      BEGIN SELECT RAISE(ABORT, 'The shelter has animals.'); END`,
  ],
  postgres: [
    ...TABLES.postgres,
    addFirst("CAST(extract(epoch FROM now()) * 1000 AS BIGINT)"),
    COLUMN.replace("INTEGER", "BIGINT"),
    "ALTER TABLE pets ADD CONSTRAINT pets_shelter FOREIGN KEY (shelter_id) REFERENCES shelters (id) NOT VALID",
  ],
};

/** The last step that PostgreSQL needs after the migration. */
export const HAS_SHELTER_INDEX =
  "SELECT 1 AS found FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'pets_by_shelter'";
/**
 * Each in a transaction of its own, because the migration locks the animals: with a million of them, nodes of the previous release
 * would wait for 4 s. Nothing waits for the first step; writes wait for the second, reads do not.
 */
export const INDEX_SHELTERS = ["ALTER TABLE pets VALIDATE CONSTRAINT pets_shelter", INDEX];
