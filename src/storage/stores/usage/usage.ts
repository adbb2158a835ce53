// Counts of responses in SQL, summed over all nodes.

import { DAY_MS, MINUTE_MS } from "../../../domain/basics/durations.ts";
import {
  DAYS_KEPT,
  type DayCount,
  MINUTES_KEPT,
  type MinuteCount,
  type UsageStore,
} from "../../../domain/usage/usage-store.ts";
import type { Database, Row, SqlValue } from "../../database.ts";
import { keyOf, TABLES, type TableName, toJsonRows } from "../../tables.ts";

const FORGOTTEN_PER_TRANSACTION = 1_000;
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
const readOf = (table: string, period: string) => `WITH RECURSIVE periods (period) AS (
    SELECT CAST($1 AS BIGINT) UNION ALL SELECT period + 1 FROM periods WHERE period < $2)
  SELECT counts.*, (SELECT number FROM usage_writers WHERE id = $4) AS number
  FROM periods LEFT JOIN ${table} AS counts ON ${period} = period AND key_id = $3`;
const READ_MINUTES = readOf("usage_minutes", "minute");
const READ_DAYS = readOf("usage_days", "day");

export function createUsageStore(db: Database): UsageStore {
  /** One node deletes the rows that several nodes find at the same time. */
  async function forgetFrom(table: TableName, column: string, before: number): Promise<number> {
    const key = keyOf(table).join(", ");
    const values: SqlValue[] = [before, FORGOTTEN_PER_TRANSACTION];
    const old = `SELECT ${key} FROM ${table} WHERE ${column} < $1 ORDER BY ${key} LIMIT $2`;
    if ((await db.first(old, values)) === undefined) return 0;
    return db.transaction((tx) => tx.run(`DELETE FROM ${table} WHERE (${key}) IN (${old})`, values));
  }

  return {
    add: ({ minutes, days }, { writer, number }, nowMs) =>
      db.transaction(async (tx) => {
        if ((await tx.run(NAME_PART, [writer, number, nowMs])) === 0) return;
        if (minutes.length > 0) await tx.run(ADD_MINUTES, [toJsonRows(minutes.map(minuteValues))]);
        if (days.length > 0) await tx.run(ADD_DAYS, [toJsonRows(days.map(dayValues))]);
      }),

    async readMinutes({ keyId, first, last }, writer) {
      const rows = await db.all(READ_MINUTES, [first, last, keyId, writer]);
      return { counts: rows.filter(hasCount).map(toMinute), number: Number(rows[0]?.number ?? 0) };
    },

    async readDays({ keyId, first, last }, writer) {
      const rows = await db.all(READ_DAYS, [first, last, keyId, writer]);
      return { counts: rows.filter(hasCount).map(toDay), number: Number(rows[0]?.number ?? 0) };
    },

    async forget(nowMs) {
      const oldestMinute = Math.floor(nowMs / MINUTE_MS) - MINUTES_KEPT + 1;
      const oldestDay = Math.floor(nowMs / DAY_MS) - DAYS_KEPT + 1;
      return (
        (await forgetFrom("usage_minutes", "minute", oldestMinute)) +
        (await forgetFrom("usage_days", "day", oldestDay)) +
        (await forgetFrom("usage_writers", "at_ms", nowMs - WRITERS_KEPT_MS))
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

function hasCount({ responses }: Row): boolean {
  return responses !== null;
}

function toMinute(row: Row): MinuteCount {
  return {
    minute: Number(row.minute),
    keyId: row.key_id as bigint,
    status: Number(row.status),
    responses: Number(row.responses),
  };
}

function toDay(row: Row): DayCount {
  return {
    day: Number(row.day),
    keyId: row.key_id as bigint,
    operation: row.operation as string,
    status: Number(row.status),
    responses: Number(row.responses),
  };
}
