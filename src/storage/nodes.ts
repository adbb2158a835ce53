// Which nodes serve the database: a row each in PostgreSQL, renewed about once a second by the database's own clock.

import type { NodeStore } from "../domain/versions.ts";
import type { Database, Transaction } from "./database.ts";
import { toNumber } from "./row.ts";

/** A node that was killed counts no longer than this. */
const LIFE_MS = 5_000;
const NOW_MS = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export function createNodeStore(db: Database): NodeStore {
  // The serving lock leaves a SQLite store to one node.
  if (db.engine === "sqlite") return { beat: async () => 1, leave: async () => {} };

  async function beat(tx: Transaction, nodeId: string): Promise<number> {
    await tx.run(
      `INSERT INTO nodes (id, seen_at_ms) VALUES ($1, ${NOW_MS})
       ON CONFLICT (id) DO UPDATE SET seen_at_ms = ${NOW_MS}`,
      [nodeId],
    );
    // A row that another node is just renewing is left alone instead of waited for.
    await tx.run(
      `DELETE FROM nodes WHERE id IN
         (SELECT id FROM nodes WHERE seen_at_ms < ${NOW_MS} - ${LIFE_MS} FOR UPDATE SKIP LOCKED)`,
    );
    const row = await tx.first(
      `SELECT count(*) AS count FROM nodes WHERE seen_at_ms >= ${NOW_MS} - ${LIFE_MS}`,
    );
    return toNumber(row?.count);
  }

  return {
    beat: (nodeId) => db.transaction((tx) => beat(tx, nodeId)),
    async leave(nodeId) {
      await db.transaction((tx) => tx.run("DELETE FROM nodes WHERE id = $1", [nodeId]));
    },
  };
}
