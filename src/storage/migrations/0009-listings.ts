// Profiles of animals, what listings are filtered by, and when an animal was added and changed.

import { forBothEngines, type Migration } from "./migration.ts";

/** A node with an older release adds animals without these columns, so that all of them need a default. */
const COLUMNS = forBothEngines(
  [
    ...["profile TEXT", "species TEXT", "sex TEXT", "size TEXT", "born_on TEXT", "external_id TEXT"],
    "good_with INTEGER",
  ].map((column) => `ALTER TABLE pets ADD COLUMN ${column}`),
);

/** How many known animals an import has changed. */
const UPDATED = forBothEngines(["ALTER TABLE imports ADD COLUMN updated INTEGER NOT NULL DEFAULT 0"]);

const OF_PET = "history.pet_id = pets.id AND history.category_id IS NULL";
const NOW_MS = {
  sqlite: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  postgres: "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)",
};

/**
 * Partial where a new animal has no value, so that adding one does not become slower. Each index of a filter has all columns that
 * it may be combined with: an animal that does not match is skipped without reading its row.
 */
const INDEXES = [
  "CREATE UNIQUE INDEX pets_by_external_id ON pets (external_id) WHERE external_id IS NOT NULL",
  "CREATE INDEX pets_by_category ON pets (category_id, status, id)",
  "CREATE INDEX pets_by_update ON pets (updated_at_ms)",
  "DROP INDEX pets_by_status",
  "CREATE INDEX pets_by_status ON pets (status, id, updated_at_ms)",
  `CREATE INDEX pets_by_species ON pets (status, species, id, sex, size, born_on, good_with)
    WHERE species IS NOT NULL`,
  // Every profile has a value of good_with.
  `CREATE INDEX pets_by_profile ON pets (status, id, sex, size, born_on, good_with)
    WHERE good_with IS NOT NULL`,
];

/** The times of the history; for an animal that is older than the history, the time of the migration. */
function fillTimes(nowMs: string): string {
  const timeOf = (order: string) =>
    `coalesce((SELECT at_ms FROM history WHERE ${OF_PET} AND order_id IS NULL ORDER BY ${order} LIMIT 1), ${nowMs})`;
  return `UPDATE pets SET created_at_ms = ${timeOf("number")}, updated_at_ms = ${timeOf("number DESC")}`;
}

export const listings: Migration = {
  version: 9,
  name: "listings",
  sqlite: [
    ...COLUMNS.sqlite,
    ...UPDATED.sqlite,
    // SQLite adds columns with a constant default only.
    "ALTER TABLE pets ADD COLUMN created_at_ms INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE pets ADD COLUMN updated_at_ms INTEGER NOT NULL DEFAULT 0",
    fillTimes(NOW_MS.sqlite),
    ...INDEXES,
  ],
  postgres: [
    ...COLUMNS.postgres,
    ...UPDATED.postgres,
    `ALTER TABLE pets ADD COLUMN created_at_ms BIGINT NOT NULL DEFAULT ${NOW_MS.postgres}`,
    `ALTER TABLE pets ADD COLUMN updated_at_ms BIGINT NOT NULL DEFAULT ${NOW_MS.postgres}`,
    // The trigger would keep every row in memory to find that no status has changed.
    "ALTER TABLE pets DISABLE TRIGGER count_moved_pets",
    fillTimes(NOW_MS.postgres),
    "ALTER TABLE pets ENABLE TRIGGER count_moved_pets",
    ...INDEXES,
  ],
};
