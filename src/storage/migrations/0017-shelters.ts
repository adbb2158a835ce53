// Shelters: every animal belongs to one, and a key may be limited to one.

import { summaryJson } from "../../domain/animals/json-shapes.ts";
import { FIRST_SHELTER } from "../../domain/shelters/shelter.ts";
import { forBothEngines, type Migration } from "./migration.ts";

/** `details` and `summary` are JSON: the optional members, and the shelter as listings show it. The location is a copy for searches. */
const SHELTERS = `CREATE TABLE shelters (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  details TEXT NOT NULL,
  summary TEXT NOT NULL,
  latitude REAL,
  longitude REAL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT`;

const TABLES = forBothEngines([
  SHELTERS,
  "CREATE INDEX shelters_by_latitude ON shelters (latitude, longitude, id)",
  "ALTER TABLE api_keys ADD COLUMN shelter_id INTEGER",
  "ALTER TABLE history ADD COLUMN shelter_id INTEGER",
]);
const INDEX = "CREATE INDEX IF NOT EXISTS pets_by_shelter ON pets (shelter_id, status, id)";

/** The engine assigns the id: the next shelter gets 2. */
function addFirst(nowMs: string): string {
  return `INSERT INTO shelters (name, details, summary, created_at_ms, updated_at_ms)
    SELECT '${FIRST_SHELTER.name}', '{}', '${summaryJson(FIRST_SHELTER)}', now_ms, now_ms FROM (SELECT ${nowMs} AS now_ms) AS times`;
}

/** Nodes of release 1.1.0 add animals without a shelter: they belong to the first one. */
const COLUMN = `ALTER TABLE pets ADD COLUMN shelter_id INTEGER NOT NULL DEFAULT ${FIRST_SHELTER.id}`;

export const shelters: Migration = {
  version: 17,
  name: "shelters",
  sqlite: [...TABLES.sqlite, addFirst("CAST(unixepoch('subsec') * 1000 AS INTEGER)"), COLUMN, INDEX],
  postgres: [
    ...TABLES.postgres,
    addFirst("CAST(extract(epoch FROM now()) * 1000 AS BIGINT)"),
    COLUMN.replace("INTEGER", "BIGINT"),
  ],
};

export const HAS_SHELTER_INDEX =
  "SELECT 1 AS found FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'pets_by_shelter'";
/**
 * On PostgreSQL after the migration, which locks the animals: with a million of them, nodes of the previous release would wait for
 * seconds. Writes wait for the index, reads do not.
 */
export const INDEX_SHELTERS = INDEX;
