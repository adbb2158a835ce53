// The audit log: changes of the service itself.

import { forBothEngines, type Migration } from "./migration.ts";

export const audit: Migration = {
  version: 7,
  name: "audit",
  ...forBothEngines([
    `CREATE TABLE audit (
      number INTEGER PRIMARY KEY,
      action TEXT NOT NULL,
      actor_key_id INTEGER,
      actor_command TEXT,
      target TEXT,
      state_before TEXT,
      state_after TEXT,
      at_ms INTEGER NOT NULL,
      CHECK ((actor_key_id IS NULL) <> (actor_command IS NULL))
    ) STRICT`,
    // Several nodes may notice the same ban. `state_after` has its end.
    "CREATE UNIQUE INDEX audit_bans ON audit (target, state_after) WHERE action = 'key.banned'",
  ]),
};
