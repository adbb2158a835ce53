// The time of each key's last call of the deprecated operation, so that operators can warn its users.

import type { Migration } from "./migration.ts";

/** Contains few keys, so that listing them does not read all others. */
const INDEX =
  "CREATE INDEX api_keys_by_deprecated_use ON api_keys (id) WHERE deprecated_used_at_ms IS NOT NULL";

export const deprecatedUse: Migration = {
  version: 4,
  name: "deprecated use",
  sqlite: ["ALTER TABLE api_keys ADD COLUMN deprecated_used_at_ms INTEGER", INDEX],
  postgres: ["ALTER TABLE api_keys ADD COLUMN deprecated_used_at_ms BIGINT", INDEX],
};
