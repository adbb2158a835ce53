// The API keys in SQL. During a rotation, a key has several secrets.

import type { ApiKey, KeyKind, KeySettings, KeyStore, StoredSecret } from "../../../domain/keys/api-key.ts";
import type { AuditOrigin, RecordedChange } from "../../../domain/keys/audit.ts";
import {
  auditCreation,
  auditRevocation,
  auditRotation,
  auditUpdate,
} from "../../../domain/keys/key-audit.ts";
import { requireShelter } from "../../../domain/shelters/shelter.ts";
import type { Database, SqlValue, Transaction } from "../../database.ts";
import { createStatement } from "../../statements.ts";
import { bumpKeyVersion } from "../basics/versions.ts";
import { lockShelter } from "../shelters/shelters.ts";
import { recordAudit } from "./audit.ts";
import {
  ACTIVE_ADMIN_KEY,
  addSecret,
  insertKey,
  isActiveAt,
  KEY_COLUMNS,
  KEY_SETTINGS,
  readOrigins,
  settingValues,
  toKey,
} from "./key-rows.ts";

const OF_SECRET = "api_key_secrets JOIN api_keys ON api_keys.id = key_id";
const isValidAt = (now: string) => `(ends_at_ms IS NULL OR ends_at_ms > ${now}) AND ${isActiveAt(now)}`;
const FIND_BY_SECRET = createStatement({
  name: "findKeyBySecret",
  values: "hash bytea, now_ms bigint",
  one: `SELECT ${KEY_COLUMNS}, ends_at_ms FROM ${OF_SECRET} WHERE hash = $1 AND ${isValidAt("$2")}`,
  many: (input) =>
    `SELECT n, ${KEY_COLUMNS}, ends_at_ms FROM ${input} JOIN (${OF_SECRET}) USING (hash) WHERE ${isValidAt("now_ms")}`,
});

/** Bounds the memory for their origins; the newest count. */
const PUBLISHABLE_MAX = 10_000;
const NOT_REVOKED = "id = $1 AND revoked_at_ms IS NULL";

/** A changed key, and its record for the audit log; no record if nothing differs. */
interface KeyChange {
  key: ApiKey;
  record: RecordedChange | undefined;
}

/** Awaited when a change of a key is durable. Recording a use is not a change. */
export type KeyListener = (id: bigint, version: number) => Promise<void>;

export function createKeyStore(db: Database, changed: KeyListener = async () => {}): KeyStore {
  const change = createKeyTransactions(db, changed);

  async function recordUse(column: string, id: bigint, usedAtMs: number): Promise<void> {
    const sql = `UPDATE api_keys SET ${column} = $2 WHERE id = $1`;
    await db.transaction((tx) => tx.run(sql, [id, usedAtMs]));
  }

  return {
    async list({ limit, after = 0n }, { hasUsedDeprecated = false } = {}) {
      const which = hasUsedDeprecated ? "id > $1 AND deprecated_used_at_ms IS NOT NULL" : "id > $1";
      const sql = `SELECT ${KEY_COLUMNS} FROM api_keys WHERE ${which} ORDER BY id LIMIT $2`;
      return (await db.all(sql, [after, limit])).map(toKey);
    },

    async find(id) {
      const row = await db.first(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = $1`, [id]);
      return row && toKey(row);
    },

    async findBySecret(hash, nowMs) {
      const row = await db.batched(FIND_BY_SECRET, [hash, nowMs]);
      return row && toKey(row);
    },

    async listAllowedOrigins(nowMs) {
      const sql = `SELECT allowed_origins FROM api_keys WHERE kind = 'publishable' AND ${isActiveAt("$1")} ORDER BY id DESC LIMIT ${PUBLISHABLE_MAX}`;
      const rows = await db.all(sql, [nowMs]);
      return rows.flatMap((row) => readOrigins(row) ?? []);
    },

    async listUsedSecrets(sinceMs, limit) {
      const rows = await db.all(
        `SELECT hash FROM api_keys JOIN api_key_secrets ON key_id = api_keys.id
         WHERE last_used_at_ms > $1 AND revoked_at_ms IS NULL LIMIT $2`,
        [sinceMs, limit],
      );
      return rows.map(({ hash }) => hash as Buffer);
    },

    create: (settings, secret, origin) => db.transaction((tx) => createKey(tx, settings, secret, origin)),

    hasAdmin: async (nowMs) => (await db.first(ACTIVE_ADMIN_KEY, [nowMs])) !== undefined,

    createFirst: (settings, secret, origin) =>
      db.transaction(
        async (tx) => {
          const other = await tx.first(ACTIVE_ADMIN_KEY, [origin.atMs]);
          return other === undefined ? createKey(tx, settings, secret, origin) : undefined;
        },
        { inOrder: true },
      ),

    update: (id, revise, origin) =>
      change(async (tx) => {
        const before = await lockKey(tx, id);
        if (before === undefined) return undefined;
        const settings = revise(before);
        if (settings.shelterId !== before.shelterId) await lockShelterOf(tx, settings);
        const set = `(${KEY_SETTINGS}) = ($2, $3, $4, $5, $6, $7, $8, $9)`;
        const key = await updateKey(tx, id, set, settingValues(settings));
        return key && { key, record: auditUpdate(before, key) };
      }, origin),

    rotate: (id, issue, { endsAtMs, ...origin }) =>
      change((tx) => rotateSecret(tx, id, issue, { endsAtMs, nowMs: origin.atMs }), origin),

    revoke: (id, origin, action) =>
      change(async (tx) => {
        const key = await updateKey(tx, id, "revoked_at_ms = $2", [origin.atMs]);
        return key && { key, record: auditRevocation(key, origin.atMs, action) };
      }, origin),

    unban: (id, gateNowMs, origin) =>
      change(async (tx) => {
        const key = await updateKey(tx, id, "unbanned_at_ms = $2", [gateNowMs]);
        return key && { key, record: { action: "key.unbanned" } };
      }, origin),

    touch: (id, usedAtMs) => recordUse("last_used_at_ms", id, usedAtMs),
    touchDeprecated: (id, usedAtMs) => recordUse("deprecated_used_at_ms", id, usedAtMs),
  };
}

/** A transaction gives the changed key its new version, and writes the record. */
function createKeyTransactions(db: Database, changed: KeyListener) {
  return async (
    work: (tx: Transaction) => Promise<KeyChange | undefined>,
    origin: AuditOrigin,
  ): Promise<ApiKey | undefined> => {
    const key = await db.transaction(async (tx) => {
      const done = await work(tx);
      if (done === undefined) return undefined;
      const version = await bumpKeyVersion(tx, done.key.id);
      if (done.record !== undefined)
        await recordAudit(tx, { ...done.record, ...origin, target: { keyId: done.key.id } });
      return { ...done.key, version };
    });
    if (key !== undefined) await changed(key.id, key.version);
    return key;
  };
}

/** Undefined for an unknown or revoked key. */
async function lockKey(tx: Transaction, id: bigint): Promise<ApiKey | undefined> {
  const row = await tx.lock(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE ${NOT_REVOKED}`, [id]);
  return row && toKey(row);
}

/** So that nobody deletes it before the key belongs to it. Throws `invalid_body` for an unknown shelter. */
async function lockShelterOf(tx: Transaction, { shelterId }: KeySettings): Promise<void> {
  if (shelterId !== undefined) requireShelter(await lockShelter(tx, shelterId), shelterId);
}

/** Undefined for an unknown or revoked key. `set` begins with $2. */
async function updateKey(
  tx: Transaction,
  id: bigint,
  set: string,
  values: SqlValue[],
): Promise<ApiKey | undefined> {
  const sql = `UPDATE api_keys SET ${set} WHERE ${NOT_REVOKED} RETURNING ${KEY_COLUMNS}`;
  const row = await tx.first(sql, [id, ...values]);
  return row && toKey(row);
}

/** The older secrets stay valid until `endsAtMs`. */
async function rotateSecret(
  tx: Transaction,
  id: bigint,
  issue: (kind: KeyKind) => StoredSecret,
  { endsAtMs, nowMs }: { endsAtMs: number; nowMs: number },
): Promise<KeyChange | undefined> {
  const before = await lockKey(tx, id);
  if (before === undefined) return undefined;
  const { hash, hint, token = null } = issue(before.kind);
  const key = await updateKey(tx, id, "hint = $2, token = $3", [hint, token]);
  if (key === undefined) return undefined;
  await tx.run("DELETE FROM api_key_secrets WHERE key_id = $1 AND ends_at_ms <= $2", [id, nowMs]);
  // An earlier end, set by an earlier rotation, is kept.
  await tx.run(
    `UPDATE api_key_secrets SET ends_at_ms = $2 WHERE key_id = $1 AND (ends_at_ms IS NULL OR ends_at_ms > $2)`,
    [id, endsAtMs],
  );
  await addSecret(tx, id, hash);
  return { key, record: auditRotation(before, key, endsAtMs) };
}

async function createKey(
  tx: Transaction,
  settings: KeySettings,
  secret: StoredSecret,
  origin: AuditOrigin,
): Promise<ApiKey> {
  await lockShelterOf(tx, settings);
  const key = await insertKey(tx, settings, { secret, createdAtMs: origin.atMs });
  await recordAudit(tx, { ...auditCreation(key), ...origin, target: { keyId: key.id } });
  return key;
}
