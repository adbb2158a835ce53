// A look at the database without changing it, for the doctor.

import { existsSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import type { Database, Row } from "./database.ts";
import { readSchemaVersion } from "./migrations.ts";
import { isServed } from "./serving-lock.ts";

export interface Inspection {
  exists: boolean;
  engine: string;
  schemaVersion: number;
  /** The newest moment that the data speaks of. */
  newestMs: number;
  /** Undefined where any number of nodes may serve it. */
  isServed: boolean | undefined;
  /** What an integrity check found; empty when all is well or none was asked for. */
  damage: string[];
}

/** Throws what SQLite says when the file cannot be read. */
export async function inspectSqlite(path: string, { deep }: { deep: boolean }): Promise<Inspection> {
  const engine = `SQLite ${sqliteVersion()}`;
  if (!existsSync(path)) {
    return { exists: false, engine, schemaVersion: 0, newestMs: 0, isServed: false, damage: [] };
  }
  const connection = new SqliteConnection(path, { readonly: true, timeout: 2_000 });
  try {
    const first = (sql: string) => Object.values(connection.prepare<[], Row>(sql).get() ?? {})[0];
    const hasSchema = first("SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'") === 1;
    const newest =
      "SELECT max(coalesce((SELECT max(applied_at_ms) FROM schema_migrations), 0), coalesce((SELECT max(created_at_ms) FROM api_keys), 0))";
    return {
      exists: true,
      engine,
      schemaVersion: hasSchema ? Number(first("SELECT max(version) FROM schema_migrations")) : 0,
      newestMs: hasSchema ? Number(first(newest)) : 0,
      isServed: isServed(path),
      damage: deep ? findDamage(connection) : [],
    };
  } finally {
    connection.close();
  }
}

/** Closes the database. */
export async function inspectPostgres(db: Database): Promise<Inspection> {
  try {
    const server = await db.first("SELECT version() AS version");
    const schemaVersion = await readSchemaVersion(db);
    const newest = "SELECT coalesce(max(created_at_ms), 0) AS newest FROM api_keys";
    return {
      exists: true,
      engine: String(server?.version).split(" ").slice(0, 2).join(" "),
      schemaVersion,
      newestMs: schemaVersion === 0 ? 0 : Number((await db.first(newest))?.newest),
      isServed: undefined,
      damage: [],
    };
  } finally {
    await db.close();
  }
}

export function findDamage(connection: SqliteConnection.Database): string[] {
  const rows = connection.pragma("integrity_check") as Array<{ integrity_check: string }>;
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== "ok");
}

function sqliteVersion(): string {
  const memory = new SqliteConnection(":memory:");
  const row = memory.prepare<[], { version: string }>("SELECT sqlite_version() AS version").get();
  memory.close();
  return row?.version ?? "unknown";
}
