// Counts of responses in SQL, summed over all nodes.

import { DAY_MS, MINUTE_MS } from "../../../domain/basics/durations.ts";
import { DAYS_KEPT, MINUTES_KEPT } from "../../../domain/usage/usage-limits.ts";
import type { DayCount, MinuteCount, UsageRange, UsageStore } from "../../../domain/usage/usage-store.ts";
import type { Database, SqlValue } from "../../database.ts";
import { deleteSome, TABLES, type TableName, toJsonRows, toObject } from "../../tables.ts";

/** Longer than a node tries to repeat a part. */
const WRITERS_KEPT_MS = 7 * DAY_MS;

/** Changes nothing if the part was added before. Also locks the writer: an earlier attempt may still be running. */
const NAME_PART = `INSERT INTO usage_writers (id, number, at_ms) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO UPDATE SET number = excluded.number, at_ms = excluded.at_ms
  WHERE usage_writers.number < excluded.number`;

/** In the order of the keys, so that nodes that add to the same rows do not wait for each other in a circle. */
const ADD_MINUTES = `INSERT INTO usage_minutes (${TABLES.usage_minutes})
  SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT), CAST(value ->> 2 AS BIGINT), CAST(value ->> 3 AS BIGINT)
  FROM jsonb_each($1) WHERE 1 = 1 ORDER BY 1, 2, 3
  ON CONFLICT (minute, key_id, status) DO UPDATE SET responses = usage_minutes.responses + excluded.responses`;
const ADD_DAYS = `INSERT INTO usage_days (${TABLES.usage_days})
  SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT), value ->> 2, CAST(value ->> 3 AS BIGINT),
    CAST(value ->> 4 AS BIGINT)
  FROM jsonb_each($1) WHERE 1 = 1 ORDER BY 1, 2, 3, 4
  ON CONFLICT (day, key_id, operation, status) DO UPDATE SET responses = usage_days.responses + excluded.responses`;

/**
 * Looks up each period: the key begins with it, and a scan of the range would read the counts of all keys. One statement, so
 * that the number of the writer belongs to the counts; there is a row even if there are no counts.
 */
const readOf = (table: TableName, period: string) => `WITH RECURSIVE periods (period) AS (
    SELECT CAST($1 AS BIGINT) UNION ALL SELECT period + 1 FROM periods WHERE period < $2)
  SELECT counts.*, (SELECT number FROM usage_writers WHERE id = $4) AS number
  FROM periods LEFT JOIN ${table} AS counts ON ${period} = period AND key_id = $3`;

export function createUsageStore(db: Database): UsageStore {
  const forget = (table: TableName, column: string, before: number) =>
    deleteSome(db, table, { condition: `${column} < $1`, values: [before], isOrdered: true });

  async function read<T>(table: TableName, column: string, range: UsageRange, writer: string) {
    const rows = await db.all(readOf(table, column), [range.first, range.last, range.keyId, writer]);
    // A row without a count belongs to a period without responses.
    const counts = rows.filter(({ responses }) => responses !== null);
    return {
      counts: counts.map((row) => toObject<T>(row, TABLES[table])),
      number: Number(rows[0]?.number ?? 0),
    };
  }

  return {
    add: ({ minutes, days }, { writer, number }, nowMs) =>
      db.transaction(async (tx) => {
        if ((await tx.run(NAME_PART, [writer, number, nowMs])) === 0) return;
        if (minutes.length > 0) await tx.run(ADD_MINUTES, [toJsonRows(minutes.map(minuteValues))]);
        if (days.length > 0) await tx.run(ADD_DAYS, [toJsonRows(days.map(dayValues))]);
      }),

    readMinutes: (range, writer) => read("usage_minutes", "minute", range, writer),
    readDays: (range, writer) => read("usage_days", "day", range, writer),

    async forget(nowMs) {
      const oldestMinute = Math.floor(nowMs / MINUTE_MS) - MINUTES_KEPT + 1;
      const oldestDay = Math.floor(nowMs / DAY_MS) - DAYS_KEPT + 1;
      return (
        (await forget("usage_minutes", "minute", oldestMinute)) +
        (await forget("usage_days", "day", oldestDay)) +
        (await forget("usage_writers", "at_ms", nowMs - WRITERS_KEPT_MS))
      );
    },
  };
}

function minuteValues({ minute, keyId, status, responses }: MinuteCount): SqlValue[] {
  return [minute, keyId, status, responses];
}

function dayValues({ day, keyId, operation, status, responses }: DayCount): SqlValue[] {
  return [day, keyId, operation, status, responses];
}
