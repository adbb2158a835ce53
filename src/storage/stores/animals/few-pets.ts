// Whether a condition matches few animals: then its own index finds them sooner than the order of a list.

import type { Database, SqlValue } from "../../database.ts";

const FEW_MAX = 2_000;

/** Without statistics, SQLite does not know whether an index saves work. `$1` in the condition is the value. */
export async function hasFewPets(db: Database, condition: string, value: SqlValue): Promise<boolean> {
  const some = `SELECT id FROM pets WHERE ${condition} LIMIT ${FEW_MAX}`;
  const row = await db.named(`SELECT count(*) AS found FROM (${some}) AS counted`, [value]);
  return Number(row?.found) < FEW_MAX;
}
