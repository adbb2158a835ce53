// The request counts of keys in SQL, so that they survive a restart.

import { isForgettable, type KeyCounts } from "../../../domain/keys/admission.ts";
import type { CountStore } from "../../../domain/keys/gate.ts";
import type { Database, Row, SqlValue } from "../../database.ts";
import { TABLES, upsertOf } from "../../tables.ts";

const COLUMNS = TABLES.key_counts;
const UPSERT = upsertOf("key_counts");

export function createCountStore(db: Database): CountStore {
  async function readAll(): Promise<Map<bigint, KeyCounts>> {
    const rows = await db.all(`SELECT ${COLUMNS} FROM key_counts`);
    return new Map(rows.map((row) => [row.key_id as bigint, toCounts(row)]));
  }

  return {
    readAll,

    async loadAll(nowMs) {
      const all = await readAll();
      const spent = [...all].filter(([, counts]) => isForgettable(counts, nowMs)).map(([id]) => id);
      await db.transaction(async (tx) => {
        for (const id of spent) await tx.run("DELETE FROM key_counts WHERE key_id = $1", [id]);
      });
      for (const id of spent) all.delete(id);
      return all;
    },

    async save(counts) {
      await db.transaction(async (tx) => {
        for (const [id, each] of counts) await tx.run(UPSERT, [id, ...countValues(each)]);
      });
    },

    async find(keyId) {
      const row = await db.first(`SELECT ${COLUMNS} FROM key_counts WHERE key_id = $1`, [keyId]);
      return row && toCounts(row);
    },
  };
}

function countValues({ minute, day, refusals, ban }: KeyCounts): SqlValue[] {
  const windows = [minute, day, refusals].flatMap(({ startMs, used }) => [startMs, used]);
  return [...windows, ban.startMs, ban.endMs, ban.number];
}

function toCounts(row: Row): KeyCounts {
  const window = (name: string) => ({
    startMs: Number(row[`${name}_start_ms`]),
    used: Number(row[`${name}_used`]),
  });
  return {
    minute: window("minute"),
    day: window("day"),
    refusals: window("refusals"),
    // Not stored: after a restart, the grace period of a refused client starts again.
    refusedSinceMs: 0,
    ban: {
      startMs: Number(row.ban_start_ms),
      endMs: Number(row.ban_end_ms),
      number: Number(row.ban_number),
    },
  };
}
