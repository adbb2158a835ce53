// Webhooks with their positions in the history, and a delivery for each event that was sent or is due.

import { forBothEngines, type Migration } from "./migration.ts";

export const webhooks: Migration = {
  version: 8,
  name: "webhooks",
  ...forBothEngines([
    `CREATE TABLE webhooks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key_id INTEGER NOT NULL,
      url TEXT NOT NULL,
      types TEXT,
      description TEXT,
      disabled_reason TEXT CHECK (disabled_reason IN ('requested', 'gone', 'failing', 'key_ended')),
      number INTEGER NOT NULL,
      version INTEGER NOT NULL,
      key_fingerprint TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      rotated_at_ms INTEGER,
      last_success_at_ms INTEGER,
      failing_since_ms INTEGER,
      last_failure_at_ms INTEGER
    ) STRICT`,
    `CREATE TABLE deliveries (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      webhook_id INTEGER NOT NULL,
      number INTEGER NOT NULL,
      event_id TEXT NOT NULL,
      type TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts INTEGER NOT NULL,
      next_attempt_at_ms INTEGER,
      claimed_until_ms INTEGER,
      last_status INTEGER,
      last_error TEXT,
      last_attempt_at_ms INTEGER,
      created_at_ms INTEGER NOT NULL,
      CHECK ((status = 'pending') = (next_attempt_at_ms IS NOT NULL))
    ) STRICT`,
    "CREATE UNIQUE INDEX deliveries_by_number ON deliveries (webhook_id, number)",
    "CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id)",
    "CREATE INDEX deliveries_by_status ON deliveries (webhook_id, status, id)",
    // The last column is for metrics, which would otherwise read every pending row.
    `CREATE INDEX deliveries_due ON deliveries (webhook_id, next_attempt_at_ms, created_at_ms)
      WHERE status = 'pending'`,
    `CREATE INDEX deliveries_claimed ON deliveries (webhook_id, claimed_until_ms)
      WHERE claimed_until_ms IS NOT NULL`,
    "CREATE INDEX deliveries_by_age ON deliveries (created_at_ms) WHERE status <> 'pending'",
  ]),
};
