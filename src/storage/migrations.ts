// The numbered steps that bring a database to the schema this code knows. Forward only.

import type { Database, Transaction } from "./database.ts";
import { animalsAndKeys } from "./migrations/0001-animals-and-keys.ts";

export interface Migration {
  version: number;
  name: string;
  sqlite: string[];
}

const MIGRATIONS: Migration[] = [animalsAndKeys];
export const SCHEMA_VERSION = MIGRATIONS.length;

export class SchemaError extends Error {}

/** 0 for an empty database. */
export async function readSchemaVersion(db: Database): Promise<number> {
  const table = await db.first(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'",
  );
  if (table === undefined) return 0;
  const newest = await db.first("SELECT max(version) AS version FROM schema_migrations");
  return Number(newest?.version ?? 0);
}

/** Throws a SchemaError when a newer release has been at work here. */
export function refuseNewerSchema(version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new SchemaError(
    `The database has schema ${version}; this release knows up to ${SCHEMA_VERSION}. Run the newer release again, or restore a backup from before the upgrade.`,
  );
}

/** Applies what is missing, all of it or nothing. Resolves to the names of the steps taken. */
export async function migrate(db: Database, nowMs: number): Promise<string[]> {
  refuseNewerSchema(await readSchemaVersion(db));
  return db.transaction(async (tx) => {
    await tx.run(
      "CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT",
    );
    const newest = await tx.first("SELECT coalesce(max(version), 0) AS version FROM schema_migrations");
    const version = Number(newest?.version);
    // Asked again inside the transaction: another process may have been faster.
    refuseNewerSchema(version);
    return applyMissing(tx, version, nowMs);
  });
}

async function applyMissing(tx: Transaction, version: number, nowMs: number): Promise<string[]> {
  const missing = MIGRATIONS.filter((migration) => migration.version > version);
  for (const migration of missing) {
    for (const statement of migration.sqlite) await tx.run(statement);
    await tx.run("INSERT INTO schema_migrations (version, name, applied_at_ms) VALUES ($1, $2, $3)", [
      migration.version,
      migration.name,
      nowMs,
    ]);
  }
  return missing.map(({ name }) => name);
}
