// The versions of the data in SQL: the newest number of the history, and a counter of key changes.

import { createHash, randomBytes } from "node:crypto";
import type { KeyVersion, VersionStore } from "../../../domain/basics/versions.ts";
import { awaitAll } from "../../../tools/await-all.ts";
import type { Database, Queries, Transaction } from "../../database.ts";
import { NEWEST_NUMBER } from "../animals/history.ts";

export function createVersionStore(db: Database): VersionStore {
  return {
    async read() {
      const row = await db.first(`SELECT epoch, keys_version, ${NEWEST_NUMBER} AS pets FROM store`);
      const stored = {
        epoch: row?.epoch as string,
        pets: Number(row?.pets),
        keys: Number(row?.keys_version),
      };
      db.lineage?.note(stored);
      return stored;
    },

    async listChangedKeys(version, limit) {
      // The second condition lets the planner use the partial index.
      const changed = "version > $1 AND version > 0";
      const sql = `SELECT id, version FROM api_keys WHERE ${changed} ORDER BY version LIMIT $2`;
      const rows = await db.all(sql, [version, limit]);
      return rows.map((row) => ({ id: row.id as bigint, version: Number(row.version) }));
    },

    async renewEpoch(epoch) {
      const sql = "UPDATE store SET epoch = $2 WHERE epoch = $1";
      await db.transaction((tx) => tx.run(sql, [epoch, createEpoch()]));
    },
  };
}

const STORE_ID_LENGTH = 12;

/** Identifies a store. Public, so not the epoch itself, which is part of cursors. */
export async function readStoreId(queries: Queries): Promise<string> {
  const row = await queries.first("SELECT epoch FROM store");
  return createHash("sha256").update(String(row?.epoch)).digest("hex").slice(0, STORE_ID_LENGTH);
}

/** Hexadecimal, so that it can be part of Redis keys and cursors. */
export function createEpoch(): string {
  return randomBytes(8).toString("hex");
}

/** The next version of one key, as `bumpKeyVersions`. */
export async function bumpKeyVersion(tx: Transaction, id: bigint): Promise<number> {
  const [changed] = await bumpKeyVersions(tx, [id]);
  return (changed as KeyVersion).version;
}

/**
 * Gives each key a version of its own. The counter's row stays locked until COMMIT, so versions become visible in ascending
 * order. Call it after changing the keys' rows: another lock order can deadlock.
 */
export async function bumpKeyVersions(tx: Transaction, ids: bigint[]): Promise<KeyVersion[]> {
  if (ids.length === 0) return [];
  const sql = "UPDATE store SET keys_version = keys_version + $1 RETURNING keys_version";
  const last = Number((await tx.first(sql, [ids.length]))?.keys_version);
  const changed = ids.map((id, index) => ({ id, version: last - ids.length + 1 + index }));
  await awaitAll(
    changed.map(({ id, version }) => tx.run("UPDATE api_keys SET version = $2 WHERE id = $1", [id, version])),
  );
  return changed;
}
