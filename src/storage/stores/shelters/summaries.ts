// The shelters of listings in SQL.

import { FIRST_SHELTER, type ShelterSummary } from "../../../domain/shelters/shelter.ts";
import type { Queries, SqlValue } from "../../database.ts";
import { toJsonRows } from "../../tables.ts";

/** Without unknown ids. */
export async function findSummaries(
  db: Queries,
  ids: Iterable<bigint>,
): Promise<Map<bigint, ShelterSummary>> {
  const wanted = toJsonRows([...new Set(ids)].map((id) => [id]));
  const sql =
    "SELECT id, summary FROM shelters WHERE id IN (SELECT CAST(value ->> 0 AS BIGINT) FROM jsonb_each($1))";
  const found = await db.all(sql, [wanted]);
  return new Map(found.map(({ id, summary }) => [id as bigint, toSummary(id, summary)]));
}

/** All of them: a network has a few thousand shelters at most. */
export async function listSummaries(db: Queries): Promise<ShelterSummary[]> {
  const found = await db.all("SELECT id, summary FROM shelters ORDER BY id");
  return found.map(({ id, summary }) => toSummary(id, summary));
}

/**
 * SQL: the JSON of an animal's shelter. Most stores have only the first one, which both engines then read once for a page: a join
 * took 13 µs of a page's 71 on SQLite.
 */
export function summarySql(shelterId: string): string {
  const first = `(SELECT summary FROM shelters WHERE id = ${FIRST_SHELTER.id})`;
  return `CASE WHEN ${shelterId} = ${FIRST_SHELTER.id} THEN ${first}
    ELSE (SELECT summary FROM shelters WHERE shelters.id = ${shelterId}) END`;
}

export function toSummary(id: SqlValue | undefined, json: SqlValue | undefined): ShelterSummary {
  return { ...JSON.parse(json as string), id };
}
