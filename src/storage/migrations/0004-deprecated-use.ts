// The time of each key's last call of the deprecated operation, so that operators can warn its users.

import { forBothEngines, type Migration } from "./migration.ts";

export const deprecatedUse: Migration = {
  version: 4,
  name: "deprecated use",
  ...forBothEngines([
    "ALTER TABLE api_keys ADD COLUMN deprecated_used_at_ms INTEGER",
    // Contains few keys, so that listing them does not read all others.
    "CREATE INDEX api_keys_by_deprecated_use ON api_keys (id) WHERE deprecated_used_at_ms IS NOT NULL",
  ]),
};
