// People, their invitations, and the keys of their devices.

import { forBothEngines, type Migration } from "./migration.ts";

const PEOPLE = `CREATE TABLE people (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  access TEXT NOT NULL CHECK (access IN ('browse', 'adopt', 'manage', 'admin')),
  shelter_id INTEGER,
  created_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  CHECK (access <> 'admin' OR shelter_id IS NULL)
) STRICT`;

/** Name and access are NULL in an invitation of a known person. */
const INVITATIONS = `CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person_id INTEGER REFERENCES people (id),
  name TEXT,
  access TEXT CHECK (access IN ('browse', 'adopt', 'manage', 'admin')),
  shelter_id INTEGER,
  code_hash BLOB NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  accepted_at_ms INTEGER,
  revoked_at_ms INTEGER,
  CHECK (person_id IS NOT NULL OR (name IS NOT NULL AND access IS NOT NULL))
) STRICT`;

/** Deleted when they are used. */
const DEVICE_LINKS = `CREATE TABLE device_links (
  code_hash BLOB PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_keys (id),
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

const TABLES = forBothEngines([
  PEOPLE,
  INVITATIONS,
  "CREATE INDEX invitations_by_person ON invitations (person_id) WHERE person_id IS NOT NULL",
  DEVICE_LINKS,
  "CREATE INDEX device_links_by_expiry ON device_links (expires_at_ms)",
  // NULL in all other keys, and in those that nodes of older releases create.
  "ALTER TABLE api_keys ADD COLUMN person_id INTEGER REFERENCES people (id)",
  "CREATE INDEX api_keys_by_person ON api_keys (person_id) WHERE person_id IS NOT NULL",
]);

/**
 * Instead of foreign keys. For animals, one took 11 % more CPU time of PostgreSQL for each new animal: animals get their shelter,
 * and shelters are deleted, in transactions that run one after another. Revoked keys and people who cannot sign in any more keep
 * the id of a deleted shelter.
 */
const IS_USED = `EXISTS (SELECT 1 FROM pets WHERE shelter_id = old.id)
  OR EXISTS (SELECT 1 FROM api_keys WHERE shelter_id = old.id AND revoked_at_ms IS NULL)
  OR EXISTS (SELECT 1 FROM people WHERE shelter_id = old.id AND ended_at_ms IS NULL)`;
const REFUSAL = "The shelter has animals, people or keys.";

export const people: Migration = {
  version: 19,
  name: "people",
  sqlite: [
    ...TABLES.sqlite,
    `CREATE TRIGGER keep_used_shelter BEFORE DELETE ON shelters WHEN ${IS_USED}
      BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`,
  ],
  postgres: [
    ...TABLES.postgres,
    `CREATE FUNCTION keep_used_shelter() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF ${IS_USED} THEN RAISE EXCEPTION '${REFUSAL}'; END IF; RETURN old; END $$`,
    `CREATE TRIGGER keep_used_shelter BEFORE DELETE ON shelters
      FOR EACH ROW EXECUTE FUNCTION keep_used_shelter()`,
  ],
};
