// The nodes that serve the database: one row each in PostgreSQL, renewed about once a second by the server's clock.

import type { NodeStore } from "../../../domain/basics/versions.ts";
import type { Database, Queries } from "../../database.ts";

/** A killed node is counted for this long. */
const LIFE_MS = 5_000;
const NOW_MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * One statement that commits implicitly, so one round trip. It does not see its own changes, so this node is added to the
 * count. Rows that another node is renewing are skipped.
 */
const BEAT = `WITH
  seen AS (
    INSERT INTO nodes (id, seen_at_ms) VALUES ($1, ${NOW_MS}) ON CONFLICT (id) DO UPDATE SET seen_at_ms = ${NOW_MS}
  ),
  gone AS (
    DELETE FROM nodes WHERE id IN
      (SELECT id FROM nodes WHERE id <> $1 AND seen_at_ms < ${NOW_MS} - ${LIFE_MS} FOR UPDATE SKIP LOCKED)
  )
  SELECT count(*) + 1 AS count FROM nodes WHERE id <> $1 AND seen_at_ms >= ${NOW_MS} - ${LIFE_MS}`;

/** Only nodes with Redis register. Registers and deletes nothing. */
export async function countNodes(queries: Queries): Promise<number> {
  const row = await queries.first(
    `SELECT count(*) AS count FROM nodes WHERE seen_at_ms >= ${NOW_MS} - ${LIFE_MS}`,
  );
  return Number(row?.count);
}

export function createNodeStore(db: Database): NodeStore {
  // The serving lock allows one node per SQLite store.
  if (db.engine === "sqlite") return { beat: async () => 1, leave: async () => {} };
  return {
    beat: async (nodeId) => Number((await db.first(BEAT, [nodeId]))?.count),
    leave: async (nodeId) => void (await db.all("DELETE FROM nodes WHERE id = $1", [nodeId])),
  };
}
