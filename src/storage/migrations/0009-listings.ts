// Profiles of animals, what listings are filtered by, and when an animal was added and changed.

import type { Database } from "../database.ts";
import { forBothEngines, type Migration } from "./migration.ts";

/** How many known animals an import has changed. */
const UPDATED = forBothEngines(["ALTER TABLE imports ADD COLUMN updated INTEGER NOT NULL DEFAULT 0"]);

/**
 * A node with an older release adds animals without these columns, so that all of them need a default. The indexes are partial: an
 * animal without a profile is in none of them. They have every column of a filter, so that an animal that does not match is
 * skipped without reading its row.
 */
const PROFILES = forBothEngines([
  ...["profile TEXT", "species TEXT", "sex TEXT", "size TEXT", "born_on TEXT", "external_id TEXT"].map(
    (column) => `ALTER TABLE pets ADD COLUMN ${column}`,
  ),
  "ALTER TABLE pets ADD COLUMN good_with INTEGER",
  "CREATE UNIQUE INDEX pets_by_external_id ON pets (external_id) WHERE external_id IS NOT NULL",
  `CREATE INDEX pets_by_species ON pets (status, species, id, sex, size, born_on, good_with)
    WHERE species IS NOT NULL`,
  // Every profile has a value of good_with.
  `CREATE INDEX pets_by_profile ON pets (status, id, sex, size, born_on, good_with)
    WHERE good_with IS NOT NULL`,
  // Whether the times of all animals are from the history, and the indexes of all animals exist.
  "ALTER TABLE store ADD COLUMN times_filled INTEGER NOT NULL DEFAULT 0",
]);

/** Existing animals get the time of the migration. Animals that a node of an older release adds get the current time. */
const POSTGRES_NOW_MS = "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)";

export const listings: Migration = {
  version: 9,
  name: "listings",
  sqlite: [
    ...PROFILES.sqlite,
    ...UPDATED.sqlite,
    // SQLite adds columns with a constant default only.
    "ALTER TABLE pets ADD COLUMN created_at_ms INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE pets ADD COLUMN updated_at_ms INTEGER NOT NULL DEFAULT 0",
  ],
  postgres: [
    ...PROFILES.postgres,
    ...UPDATED.postgres,
    `ALTER TABLE pets ADD COLUMN created_at_ms BIGINT NOT NULL DEFAULT ${POSTGRES_NOW_MS}`,
    `ALTER TABLE pets ADD COLUMN updated_at_ms BIGINT NOT NULL DEFAULT ${POSTGRES_NOW_MS}`,
  ],
};

/** Animals written per step. Other writes wait for it. */
const FILL_SPAN = 1_000n;
const FILL = `UPDATE pets SET created_at_ms = ${timeOf("number")}, updated_at_ms = ${timeOf("number DESC")}
  WHERE id > $1 AND id <= $2`;

/** From the first or the last change of the animal. $3 is for an animal without a history. */
function timeOf(order: string): string {
  const changes = "history.pet_id = pets.id AND history.category_id IS NULL AND order_id IS NULL";
  return `coalesce((SELECT at_ms FROM history WHERE ${changes} ORDER BY ${order} LIMIT 1),
    CASE WHEN created_at_ms > 0 THEN created_at_ms ELSE $3 END)`;
}

export async function hasAllTimes(db: Database): Promise<boolean> {
  return (await db.first("SELECT times_filled FROM store"))?.times_filled === 1n;
}

/** Gives every animal the times of the history, in short transactions. May be repeated, also while animals change. */
export async function fillTimes(
  db: Database,
  nowMs: number,
  onStep: (doneId: bigint) => void,
): Promise<void> {
  const last = (await db.first("SELECT coalesce(max(id), 0) AS id FROM pets"))?.id as bigint;
  for (let after = 0n; after < last; after += FILL_SPAN) {
    onStep(after);
    const values = [after, after + FILL_SPAN, nowMs];
    await db.transaction((tx) => tx.run(FILL, values), { inOrder: true });
  }
}

/** After the times, which are faster to write without them. Writes wait for them, reads do not. */
export const INDEX_TIMES = [
  "CREATE INDEX IF NOT EXISTS pets_by_category ON pets (category_id, status, id)",
  "CREATE INDEX IF NOT EXISTS pets_by_update ON pets (updated_at_ms)",
  "CREATE INDEX IF NOT EXISTS pets_by_status_and_id ON pets (status, id, updated_at_ms)",
  "DROP INDEX IF EXISTS pets_by_status",
  "UPDATE store SET times_filled = 1",
];
