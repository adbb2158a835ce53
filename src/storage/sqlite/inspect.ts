// Examines a SQLite store without changing it, for `doctor`.

import { existsSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { ExplainedError } from "../../tools/operator-error.ts";
import type { Row } from "../database.ts";
import type { Inspection } from "../inspection.ts";
import { explainSqliteFault } from "./faults.ts";
import { asStoreOwner } from "./files.ts";
import { refuseForeignSqlite } from "./identity.ts";
import { findExposure, findMissingRight } from "./rights.ts";
import { isServed } from "./serving-lock.ts";
import { findDamage } from "./verify.ts";

const BUSY_WAIT_MS = 2_000;

/** Throws SQLite's error if the file cannot be read, and an OperatorError for a file of another program. */
export async function inspectSqlite(path: string, { deep }: { deep: boolean }): Promise<Inspection> {
  const engine = `SQLite ${sqliteVersion()}`;
  if (!existsSync(path)) {
    const nothing = { schemaVersion: 0, newestMs: 0, isServed: false, damage: [] };
    return { exists: false, engine, ...nothing, writeFault: undefined, exposure: undefined };
  }
  return asStoreOwner(path, (real) => {
    return {
      exists: true,
      engine,
      ...readStore(real, deep),
      writeFault: findWriteFault(real),
      exposure: findExposure(real),
    };
  });
}

function readStore(
  path: string,
  deep: boolean,
): Omit<Inspection, "exists" | "engine" | "writeFault" | "exposure"> {
  const connection = new SqliteConnection(path, { readonly: true, timeout: BUSY_WAIT_MS });
  try {
    refuseForeignSqlite(connection, path);
    const first = (sql: string) => Object.values(connection.prepare<[], Row>(sql).get() ?? {})[0];
    const hasSchema = first("SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'") === 1;
    const newest =
      "SELECT max(coalesce((SELECT max(applied_at_ms) FROM schema_migrations), 0), coalesce((SELECT max(created_at_ms) FROM api_keys), 0))";
    return {
      schemaVersion: hasSchema ? Number(first("SELECT max(version) FROM schema_migrations")) : 0,
      newestMs: hasSchema ? Number(first(newest)) : 0,
      isServed: isServed(path),
      damage: deep ? findDamage(connection) : [],
    };
  } finally {
    connection.close();
  }
}

/** Creates a table and rolls back: this works with every schema version and leaves nothing. */
function findWriteFault(path: string): ExplainedError | undefined {
  const connection = new SqliteConnection(path, { timeout: BUSY_WAIT_MS });
  try {
    connection.exec("BEGIN IMMEDIATE; CREATE TABLE write_test (x); ROLLBACK");
    // Needed to serve the store, but not to write to it.
    return findMissingRight(path, ["-serving"]);
  } catch (error) {
    const explained = explainSqliteFault(path, error);
    return explained ?? new ExplainedError((error as Error).message, "Run: doctor --deep");
  } finally {
    connection.close();
  }
}

function sqliteVersion(): string {
  const memory = new SqliteConnection(":memory:");
  const row = memory.prepare<[], { version: string }>("SELECT sqlite_version() AS version").get();
  memory.close();
  return row?.version ?? "unknown";
}
