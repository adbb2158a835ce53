// A row of `api_keys` as an API key: read, and added with its secret.

import type { ApiKey, KeySettings, StoredSecret } from "../../../domain/keys/api-key.ts";
import type { Row, SqlValue, Transaction } from "../../database.ts";
import { TABLES, toObject, toOptionalNumber } from "../../tables.ts";
import { PERSON_NAME, toPersonName } from "../people/person-name.ts";

export const KEY_SETTINGS =
  "name, plan, access, per_minute, per_day, expires_at_ms, shelter_id, allowed_origins";
export const KEY_COLUMNS = `${TABLES.api_keys}, ${PERSON_NAME}`;
/** The columns that are members of the same name. */
const MEMBERS = TABLES.api_keys.replace(", person_id", "");
/** Condition on a row of `api_keys`. */
export const isActiveAt = (now: string) =>
  `revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ${now})`;
/** $1 is the time. */
export const ACTIVE_ADMIN_KEY = `SELECT id FROM api_keys WHERE access = 'admin' AND ${isActiveAt("$1")} LIMIT 1`;

interface AddedKey {
  secret: StoredSecret;
  createdAtMs: number;
  personId?: bigint;
}

/** The caller has locked its shelter, and records the key in the audit log. */
export async function insertKey(
  tx: Transaction,
  settings: KeySettings,
  { secret, createdAtMs, personId }: AddedKey,
): Promise<ApiKey> {
  const row = await tx.first(
    `INSERT INTO api_keys (${KEY_SETTINGS}, kind, token, hint, created_at_ms, person_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING ${KEY_COLUMNS}`,
    [
      ...settingValues(settings),
      settings.kind ?? "secret",
      secret.token ?? null,
      secret.hint,
      createdAtMs,
      personId ?? null,
    ],
  );
  const key = toKey(row as Row);
  await addSecret(tx, key.id, secret.hash);
  return key;
}

export async function addSecret(tx: Transaction, keyId: bigint, hash: Buffer): Promise<void> {
  await tx.run("INSERT INTO api_key_secrets (hash, key_id) VALUES ($1, $2)", [hash, keyId]);
}

export function settingValues(settings: KeySettings): SqlValue[] {
  const {
    name,
    plan,
    access,
    perMinute = null,
    perDay = null,
    expiresAtMs = null,
    shelterId = null,
    allowedOrigins,
  } = settings;
  const origins = allowedOrigins === undefined ? null : JSON.stringify(allowedOrigins);
  return [name, plan, access, perMinute, perDay, expiresAtMs, shelterId, origins];
}

export function toKey(row: Row): ApiKey {
  return {
    ...toObject<ApiKey>(row, MEMBERS),
    person: toPersonName(row),
    allowedOrigins: readOrigins(row),
    secretEndsAtMs: toOptionalNumber(row.ends_at_ms),
  };
}

export function readOrigins({ allowed_origins: origins }: Row): string[] | undefined {
  return typeof origins === "string" ? JSON.parse(origins) : undefined;
}
