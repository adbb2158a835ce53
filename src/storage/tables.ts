// Every table with its columns as SQL, and conversions of their values. The stores, `copy` and the check of rights use this
// one list; a test compares it with the live catalog of both engines.

import type { Database, Row, SqlValue } from "./database.ts";

/** In the order of their references. The first column is the primary key, or the first one of it. */
export const TABLES = {
  shelters: "id, name, details, summary, latitude, longitude, created_at_ms, updated_at_ms",
  pets: "id, name, category_id, status, profile, species, sex, size, born_on, external_id, good_with, created_at_ms, updated_at_ms, photos, shelter_id",
  pet_texts: "pet_id, text, is_waiting, name",
  people: "id, name, access, shelter_id, created_at_ms, ended_at_ms",
  invitations:
    "id, person_id, name, access, shelter_id, code_hash, created_at_ms, expires_at_ms, accepted_at_ms, revoked_at_ms",
  api_keys:
    "id, name, plan, access, per_minute, per_day, hint, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms, unbanned_at_ms, deprecated_used_at_ms, version, shelter_id, kind, allowed_origins, token, person_id",
  api_key_secrets: "hash, key_id, ends_at_ms",
  device_links: "code_hash, key_id, expires_at_ms",
  orders: "id, pet_id, status, reference, key_id, created_at_ms, updated_at_ms, expires_at_ms",
  categories: "id, name",
  images: "hash, width, height, unreferenced_at_ms",
  image_files: "id, hash, width, bytes",
  photos: "id, pet_id, position, hash, alt",
  history:
    "number, what, pet_id, order_id, state_before, state_after, at_ms, key_id, category_id, shelter_id",
  audit: "number, action, actor_key_id, actor_command, target, state_before, state_after, at_ms",
  webhooks:
    "id, key_id, url, types, description, disabled_reason, number, version, key_fingerprint, created_at_ms, rotated_at_ms, last_success_at_ms, failing_since_ms, last_failure_at_ms",
  deliveries:
    "id, webhook_id, number, event_id, type, status, attempts, next_attempt_at_ms, claimed_until_ms, last_status, last_error, last_attempt_at_ms, created_at_ms",
  imports:
    "checksum, reading, rows_done, pets, first_id, last_id, started_at_ms, finished_at_ms, updated, imported",
  idempotency_keys: "name, fingerprint, status, location, body, touched, created_at_ms",
  key_counts:
    "key_id, minute_start_ms, minute_used, day_start_ms, day_used, refusals_start_ms, refusals_used, ban_start_ms, ban_end_ms, ban_number",
  usage_minutes: "minute, key_id, status, responses",
  usage_days: "day, key_id, operation, status, responses",
  usage_writers: "id, number, at_ms",
  inventory: "status, pets",
  store: "id, epoch, keys_version, times_filled, texts_filled, site, server, server_pets, server_keys",
  // PostgreSQL only.
  nodes: "id, seen_at_ms",
};

export type TableName = keyof typeof TABLES;

/** Tables whose ids the engine assigns. */
export const NUMBERED_TABLES: TableName[] = [
  "shelters",
  "pets",
  "people",
  "invitations",
  "api_keys",
  "orders",
  "image_files",
  "photos",
  "webhooks",
  "deliveries",
];

/** SQLite blocks the process while it deletes. */
const DELETED_PER_TRANSACTION = 500;

/** The number of columns in the primary keys that have more than one. */
const KEY_COLUMNS: Partial<Record<TableName, number>> = { usage_minutes: 3, usage_days: 4 };

export function keyOf(table: TableName): string[] {
  return columnsOf(table).slice(0, KEY_COLUMNS[table] ?? 1);
}

export function columnsOf(table: TableName): string[] {
  return TABLES[table].split(", ");
}

/** Example: `$2, $3` for two values from the second on. */
export function placeholders(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${first + index}`).join(", ");
}

/** Statement with a value for every column that adds a row, or replaces the row with the same primary key. */
export function upsertOf(table: TableName): string {
  const values = placeholders(columnsOf(table).length);
  return `INSERT INTO ${table} (${TABLES[table]}) VALUES (${values}) ${replaceOf(table)}`;
}

/** The end of an INSERT that replaces rows with the same primary key of one column. */
export function replaceOf(table: TableName): string {
  const [key, ...others] = columnsOf(table);
  const changes = others.map((column) => `${column} = excluded.${column}`);
  return `ON CONFLICT (${key}) DO UPDATE SET ${changes.join(", ")}`;
}

/** Deletes some rows that meet the condition, in the order of their keys if other nodes lock them in this order. */
export async function deleteSome(
  db: Database,
  table: TableName,
  { condition, values, isOrdered = false }: { condition: string; values: SqlValue[]; isOrdered?: boolean },
): Promise<number> {
  const key = keyOf(table).join(", ");
  const order = isOrdered ? `ORDER BY ${key}` : "";
  const some = `SELECT ${key} FROM ${table} WHERE ${condition} ${order} LIMIT ${DELETED_PER_TRANSACTION}`;
  // Usually there is nothing to do, and no lock is needed.
  if ((await db.first(some, values)) === undefined) return 0;
  // The condition is checked twice: a row may change while the statement waits for its lock.
  const sql = `DELETE FROM ${table} WHERE (${key}) IN (${some}) AND ${condition}`;
  return db.transaction((tx) => tx.run(sql, values));
}

export function toOptionalNumber(value: SqlValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

interface ReadColumn {
  column: string;
  member: string;
  /** Identifiers and numbers of the history stay bigint; other integers become numbers. */
  isExact: boolean;
}
const readColumns = new Map<string, ReadColumn[]>();

/** The columns of a row as members of an object, such as `createdAtMs` for created_at_ms. NULL becomes undefined. */
export function toObject<T>(row: Row, columns: string): T {
  let wanted = readColumns.get(columns);
  if (wanted === undefined) {
    wanted = columns.split(", ").map((column) => ({
      column,
      member: column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      isExact: /^(?:id|number|.*_id)$/.test(column),
    }));
    readColumns.set(columns, wanted);
  }
  const members: Record<string, unknown> = {};
  for (const { column, member, isExact } of wanted) {
    const value = row[column];
    members[member] = typeof value === "bigint" && !isExact ? Number(value) : (value ?? undefined);
  }
  return members as T;
}

/** The caller knows the type of the column. */
export function toOptional<T extends SqlValue>(value: SqlValue | undefined): T | undefined {
  return (value ?? undefined) as T | undefined;
}

function toJsonValue(value: SqlValue): string | null {
  return typeof value === "string" || value === null ? value : value.toString();
}

/**
 * Rows as one JSON object for `jsonb_each` of both engines: `key` is the index of the row, `value ->> 0` its first column
 * as text. Numbers are sent as text, so that none loses a digit. With `json_each`, both parse a row again for each of its
 * columns.
 */
export function toJsonRows(rows: SqlValue[][]): string {
  const members = rows.map((row, index) => `"${index}":${JSON.stringify(row.map(toJsonValue))}`);
  return `{${members.join(",")}}`;
}
