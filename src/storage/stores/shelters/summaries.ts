// The shelters of listings in SQL.

import type { ShelterSummary } from "../../../domain/shelters/shelter.ts";
import type { Queries, SqlValue } from "../../database.ts";
import { toJsonRows } from "../../tables.ts";

/** Without unknown ids. */
export async function findSummaries(
  db: Queries,
  ids: Iterable<bigint>,
): Promise<Map<bigint, ShelterSummary>> {
  const wanted = toJsonRows([...new Set(ids)].map((id) => [id]));
  const sql =
    "SELECT id, name, city FROM shelters WHERE id IN (SELECT CAST(value ->> 0 AS BIGINT) FROM jsonb_each($1))";
  const found = await db.all(sql, [wanted]);
  return new Map(found.map(({ id, name, city }) => [id as bigint, toSummary(id, name, city)]));
}

/** All of them: a network has a few thousand shelters at most. */
export async function listSummaries(db: Queries): Promise<ShelterSummary[]> {
  const found = await db.all("SELECT id, name, city FROM shelters ORDER BY id");
  return found.map(({ id, name, city }) => toSummary(id, name, city));
}

export function toSummary(
  id: SqlValue | undefined,
  name: SqlValue | undefined,
  city: SqlValue | undefined,
): ShelterSummary {
  return { id: id as bigint, name: name as string, ...(typeof city === "string" && { city }) };
}
