// Animals, API keys with their secrets, and the counts of requests.

import { forBothEngines, type Migration } from "./migration.ts";

export const animalsAndKeys: Migration = {
  version: 1,
  name: "animals and keys",
  ...forBothEngines([
    `CREATE TABLE pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      category_id INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
    ) STRICT`,
    "CREATE INDEX pets_by_status ON pets (status, id)",
    `CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
      access TEXT NOT NULL CHECK (access IN ('browse', 'adopt', 'manage', 'admin')),
      per_minute INTEGER,
      per_day INTEGER,
      hint TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      expires_at_ms INTEGER,
      revoked_at_ms INTEGER,
      last_used_at_ms INTEGER,
      unbanned_at_ms INTEGER
    ) STRICT`,
    `CREATE TABLE api_key_secrets (
      hash BLOB PRIMARY KEY,
      key_id INTEGER NOT NULL REFERENCES api_keys (id),
      ends_at_ms INTEGER
    ) STRICT, WITHOUT ROWID`,
    "CREATE INDEX api_key_secrets_by_key ON api_key_secrets (key_id)",
    `CREATE TABLE key_counts (
      key_id INTEGER PRIMARY KEY,
      minute_start_ms INTEGER NOT NULL,
      minute_used INTEGER NOT NULL,
      day_start_ms INTEGER NOT NULL,
      day_used INTEGER NOT NULL,
      refusals_start_ms INTEGER NOT NULL,
      refusals_used INTEGER NOT NULL,
      ban_start_ms INTEGER NOT NULL,
      ban_end_ms INTEGER NOT NULL,
      ban_number INTEGER NOT NULL
    ) STRICT`,
  ]),
};
