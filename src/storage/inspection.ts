// A look at a SQLite file without changing it, for the doctor.

import { existsSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import type { Row } from "./database.ts";
import { isServed } from "./serving-lock.ts";

export interface Inspection {
  exists: boolean;
  engine: string;
  schemaVersion: number;
  /** The newest moment that the data speaks of. */
  newestMs: number;
  isServed: boolean;
  /** What an integrity check found; empty when all is well or none was asked for. */
  damage: string[];
}

/** Throws what SQLite says when the file cannot be read. */
export function inspectSqlite(path: string, { deep }: { deep: boolean }): Inspection {
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

function findDamage(connection: SqliteConnection.Database): string[] {
  const rows = connection.pragma("integrity_check") as Array<{ integrity_check: string }>;
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== "ok");
}

function sqliteVersion(): string {
  const memory = new SqliteConnection(":memory:");
  const row = memory.prepare<[], { version: string }>("SELECT sqlite_version() AS version").get();
  memory.close();
  return row?.version ?? "unknown";
}
