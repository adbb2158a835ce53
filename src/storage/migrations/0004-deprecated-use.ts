// When a key last called the deprecated operation, so that operators know whom to tell before its end.

import type { Migration } from "./migration.ts";

/** Few keys are in it: listing them does not read all the others. */
const INDEX =
  "CREATE INDEX api_keys_by_deprecated_use ON api_keys (id) WHERE deprecated_used_at_ms IS NOT NULL";

export const deprecatedUse: Migration = {
  version: 4,
  name: "deprecated use",
  sqlite: ["ALTER TABLE api_keys ADD COLUMN deprecated_used_at_ms INTEGER", INDEX],
  postgres: ["ALTER TABLE api_keys ADD COLUMN deprecated_used_at_ms BIGINT", INDEX],
};
