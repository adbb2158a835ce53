// The API keys in SQL. During a rotation, a key has several secrets.

import type { ApiKey, KeySettings, KeyStore } from "../../domain/keys/api-key.ts";
import type { Access, Plan } from "../../domain/keys/plan.ts";
import { createBatchStatement } from "../batch-statement.ts";
import type { Database, Row, SqlValue, Transaction } from "../database.ts";
import { TABLES, toOptionalNumber } from "../tables.ts";
import { bumpKeyVersion } from "./versions.ts";

const SETTINGS = "name, plan, access, per_minute, per_day, expires_at_ms";
const COLUMNS = TABLES.api_keys;
/** $1 is the time. */
export const ACTIVE_ADMIN_KEY = `SELECT id FROM api_keys
  WHERE access = 'admin' AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $1) LIMIT 1`;
const OF_SECRET = "api_key_secrets JOIN api_keys ON api_keys.id = key_id";
const inForceAt = (now: string) => `(ends_at_ms IS NULL OR ends_at_ms > ${now})
  AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ${now})`;
const FIND_BY_SECRET = createBatchStatement({
  name: "findKeyBySecret",
  values: "hash bytea, now_ms bigint",
  one: `SELECT ${COLUMNS}, ends_at_ms FROM ${OF_SECRET} WHERE hash = $1 AND ${inForceAt("$2")}`,
  many: (input) =>
    `SELECT n, ${COLUMNS}, ends_at_ms FROM ${input} JOIN (${OF_SECRET}) USING (hash) WHERE ${inForceAt("now_ms")}`,
});
const IN_FORCE = "id = $1 AND revoked_at_ms IS NULL";

/** `changed` is awaited when a change of a key is durable. Recording a use is not a change. */
export function createKeyStore(
  db: Database,
  changed: (id: bigint, version: number) => Promise<void> = async () => {},
): KeyStore {
  /** Gives the changed key its new version in the same transaction. */
  async function change(work: (tx: Transaction) => Promise<ApiKey | undefined>): Promise<ApiKey | undefined> {
    const outcome = await db.transaction(async (tx) => {
      const key = await work(tx);
      return key && { key, version: await bumpKeyVersion(tx, key.id) };
    });
    if (outcome === undefined) return undefined;
    const { key, version } = outcome;
    await changed(key.id, version);
    return { ...key, version };
  }

  function setTime(column: string, id: bigint, nowMs: number): Promise<ApiKey | undefined> {
    return change(async (tx) => {
      const sql = `UPDATE api_keys SET ${column} = $2 WHERE ${IN_FORCE} RETURNING ${COLUMNS}`;
      const row = await tx.first(sql, [id, nowMs]);
      return row && toKey(row);
    });
  }

  async function recordUse(column: string, id: bigint, usedAtMs: number): Promise<void> {
    const sql = `UPDATE api_keys SET ${column} = $2 WHERE id = $1`;
    await db.transaction((tx) => tx.run(sql, [id, usedAtMs]));
  }

  return {
    async list({ limit, after = 0n }, { hasUsedDeprecated = false } = {}) {
      const which = hasUsedDeprecated ? "id > $1 AND deprecated_used_at_ms IS NOT NULL" : "id > $1";
      const sql = `SELECT ${COLUMNS} FROM api_keys WHERE ${which} ORDER BY id LIMIT $2`;
      return (await db.all(sql, [after, limit])).map(toKey);
    },

    async find(id) {
      const row = await db.first(`SELECT ${COLUMNS} FROM api_keys WHERE id = $1`, [id]);
      return row && toKey(row);
    },

    async findBySecret(hash, nowMs) {
      const row = await db.batched(FIND_BY_SECRET, [hash, nowMs]);
      return row && toKey(row);
    },

    async listUsedSecrets(sinceMs, limit) {
      const rows = await db.all(
        `SELECT hash FROM api_keys JOIN api_key_secrets ON key_id = api_keys.id
         WHERE last_used_at_ms > $1 AND revoked_at_ms IS NULL LIMIT $2`,
        [sinceMs, limit],
      );
      return rows.map(({ hash }) => hash as Buffer);
    },

    create: (settings, secret, nowMs) => db.transaction((tx) => insertKey(tx, settings, secret, nowMs)),

    async createFirst(settings, secret, nowMs) {
      const insertFirst = async (tx: Transaction) => {
        const other = await tx.first(ACTIVE_ADMIN_KEY, [nowMs]);
        return other === undefined ? insertKey(tx, settings, secret, nowMs) : undefined;
      };
      return db.transaction(insertFirst, { inOrder: true });
    },

    update: (id, revise) =>
      change(async (tx) => {
        const row = await tx.lock(`SELECT ${COLUMNS} FROM api_keys WHERE ${IN_FORCE}`, [id]);
        if (row === undefined) return undefined;
        const settings = revise(toKey(row));
        const updated = await tx.first(
          `UPDATE api_keys SET (${SETTINGS}) = ($2, $3, $4, $5, $6, $7) WHERE id = $1 RETURNING ${COLUMNS}`,
          [id, ...settingValues(settings)],
        );
        return updated && toKey(updated);
      }),

    rotate: (id, secret, { nowMs, endsAtMs }) =>
      change(async (tx) => {
        const row = await tx.first(`UPDATE api_keys SET hint = $2 WHERE ${IN_FORCE} RETURNING ${COLUMNS}`, [
          id,
          secret.hint,
        ]);
        if (row === undefined) return undefined;
        await tx.run("DELETE FROM api_key_secrets WHERE key_id = $1 AND ends_at_ms <= $2", [id, nowMs]);
        // An earlier end, set by an earlier rotation, is kept.
        await tx.run(
          `UPDATE api_key_secrets SET ends_at_ms = $2
           WHERE key_id = $1 AND (ends_at_ms IS NULL OR ends_at_ms > $2)`,
          [id, endsAtMs],
        );
        await addSecret(tx, id, secret.hash);
        return toKey(row);
      }),

    revoke: (id, nowMs) => setTime("revoked_at_ms", id, nowMs),
    unban: (id, nowMs) => setTime("unbanned_at_ms", id, nowMs),

    touch: (id, usedAtMs) => recordUse("last_used_at_ms", id, usedAtMs),
    touchDeprecated: (id, usedAtMs) => recordUse("deprecated_used_at_ms", id, usedAtMs),
  };
}

async function insertKey(
  tx: Transaction,
  settings: KeySettings,
  secret: { hash: Buffer; hint: string },
  nowMs: number,
): Promise<ApiKey> {
  const row = await tx.first(
    `INSERT INTO api_keys (${SETTINGS}, hint, created_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
    [...settingValues(settings), secret.hint, nowMs],
  );
  const key = toKey(row as Row);
  await addSecret(tx, key.id, secret.hash);
  return key;
}

async function addSecret(tx: Transaction, keyId: bigint, hash: Buffer): Promise<void> {
  await tx.run("INSERT INTO api_key_secrets (hash, key_id) VALUES ($1, $2)", [hash, keyId]);
}

function settingValues(settings: KeySettings): SqlValue[] {
  const { name, plan, access, perMinute = null, perDay = null, expiresAtMs = null } = settings;
  return [name, plan, access, perMinute, perDay, expiresAtMs];
}

function toKey(row: Row): ApiKey {
  return {
    id: row.id as bigint,
    name: row.name as string,
    plan: row.plan as Plan,
    access: row.access as Access,
    perMinute: toOptionalNumber(row.per_minute),
    perDay: toOptionalNumber(row.per_day),
    hint: row.hint as string,
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: toOptionalNumber(row.expires_at_ms),
    revokedAtMs: toOptionalNumber(row.revoked_at_ms),
    lastUsedAtMs: toOptionalNumber(row.last_used_at_ms),
    deprecatedUsedAtMs: toOptionalNumber(row.deprecated_used_at_ms),
    unbannedAtMs: toOptionalNumber(row.unbanned_at_ms),
    secretEndsAtMs: toOptionalNumber(row.ends_at_ms),
    version: Number(row.version),
  };
}
