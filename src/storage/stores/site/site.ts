// The public site in SQL: its settings, and the animals and shelters that it shows.

import { SPECIES } from "../../../domain/animals/profile.ts";
import { PUBLIC_STATUSES } from "../../../domain/animals/public-listing.ts";
import { FIRST_SHELTER } from "../../../domain/shelters/shelter.ts";
import {
  auditSiteUpdate,
  CLOSED_SITE,
  reviseSite,
  type Site,
  type SiteStore,
} from "../../../domain/site/site.ts";
import type { Database, Row } from "../../database.ts";
import { toOptional } from "../../tables.ts";
import { NEWEST_NUMBER } from "../animals/history.ts";
import { recordAudit } from "../keys/audit.ts";
import { toSummary } from "../shelters/summaries.ts";

const FIRST_NAME = `(SELECT name FROM shelters WHERE id = ${FIRST_SHELTER.id})`;
const READ = `SELECT site, epoch, ${NEWEST_NUMBER} AS newest, ${FIRST_NAME} AS first_name FROM store`;
const STATUSES = PUBLIC_STATUSES.map((status) => `'${status}'`).join(", ");
const LIST_SHELTERS = `SELECT id, summary FROM shelters WHERE EXISTS
  (SELECT 1 FROM pets WHERE shelter_id = shelters.id AND status IN (${STATUSES})) ORDER BY id`;
/** One look into an index for each. */
const LIST_SPECIES = `SELECT species FROM (${SPECIES.map((each) => `SELECT '${each}' AS species`).join(" UNION ALL ")}) AS known
  WHERE EXISTS (SELECT 1 FROM pets WHERE status IN (${STATUSES}) AND pets.species = known.species)`;

/** The newest of each status come from its own index; the lowest ids of both are the page. */
const ANIMALS = PUBLIC_STATUSES.map(
  (status) =>
    `SELECT * FROM (SELECT id, updated_at_ms FROM pets WHERE status = '${status}' AND id > $1 ORDER BY id LIMIT $2) AS ${status}`,
).join(" UNION ALL ");

export function createSiteStore(db: Database): SiteStore {
  return {
    async readState() {
      const row = await db.first(READ);
      const site = toSite(row);
      return { site, title: site.title ?? String(row?.first_name), version: `${row?.epoch}:${row?.newest}` };
    },

    update: (changes, origin) =>
      db.transaction(async (tx) => {
        const before = toSite(await tx.lock("SELECT id, site FROM store"));
        const after = reviseSite(before, changes);
        const text = JSON.stringify(after);
        if (text === JSON.stringify(before)) return before;
        await tx.run("UPDATE store SET site = $1", [text]);
        await recordAudit(tx, { ...auditSiteUpdate(before, after), ...origin });
        return after;
      }),

    async listAnimals({ limit, after = 0n }) {
      const rows = await db.all(`${ANIMALS} ORDER BY id LIMIT $2`, [after, limit]);
      return rows.map((row) => ({ id: row.id as bigint, updatedAtMs: Number(row.updated_at_ms) }));
    },

    async listShelters() {
      return (await db.all(LIST_SHELTERS)).map(({ id, summary }) => toSummary(id, summary));
    },

    async listSpecies() {
      const found = new Set((await db.all(LIST_SPECIES)).map(({ species }) => species));
      return SPECIES.filter((species) => found.has(species));
    },
  };
}

function toSite(row: Row | undefined): Site {
  const text = toOptional<string>(row?.site ?? null);
  return text === undefined ? CLOSED_SITE : JSON.parse(text);
}
