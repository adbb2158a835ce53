// The public site of the store, and keys that may be published.

import { forBothEngines, type Migration } from "./migration.ts";

export const publicDoor: Migration = {
  version: 18,
  name: "public door",
  ...forBothEngines([
    // JSON; NULL until the first change.
    "ALTER TABLE store ADD COLUMN site TEXT",
    "ALTER TABLE api_keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'secret'",
    // A JSON array of origins, and the text of the key itself, for publishable keys only.
    "ALTER TABLE api_keys ADD COLUMN allowed_origins TEXT",
    "ALTER TABLE api_keys ADD COLUMN token TEXT",
    // Their origins are read for preflights, among any number of other keys.
    "CREATE INDEX api_keys_publishable ON api_keys (id) WHERE kind = 'publishable'",
  ]),
};
