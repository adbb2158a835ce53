// Examines a SQLite store without changing it, for `doctor`.

import { existsSync } from "node:fs";
import { ExplainedError } from "../../tools/operator-error.ts";
import type { Row } from "../database.ts";
import type { Inspection } from "../inspection.ts";
import { explainSqliteFault } from "./faults.ts";
import { asStoreOwner, OPEN_WAIT_MS, withConnection } from "./files.ts";
import { refuseForeignSqlite } from "./identity.ts";
import { findExposure, findMissingRight } from "./rights.ts";
import { isServed } from "./serving-lock.ts";
import { findDamage } from "./verify.ts";

/** Throws SQLite's error if the file cannot be read, and an OperatorError for a file of another program. */
export async function inspectSqlite(path: string, { deep }: { deep: boolean }): Promise<Inspection> {
  const engine = `SQLite ${sqliteVersion()}`;
  if (!existsSync(path))
    return { exists: false, engine, schemaVersion: 0, newestMs: 0, isServed: false, damage: [] };
  return asStoreOwner(path, (real) => ({
    exists: true,
    engine,
    ...readStore(real, deep),
    isServed: isServed(real),
    writeFault: findWriteFault(real),
    exposure: findExposure(real),
  }));
}

function readStore(path: string, deep: boolean) {
  return withConnection(path, { readonly: true, timeout: OPEN_WAIT_MS }, (connection) => {
    refuseForeignSqlite(connection, path);
    const first = (sql: string) => Object.values(connection.prepare<[], Row>(sql).get() ?? {})[0];
    const hasSchema = first("SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'") === 1;
    const newest =
      "SELECT max(coalesce((SELECT max(applied_at_ms) FROM schema_migrations), 0), coalesce((SELECT max(created_at_ms) FROM api_keys), 0))";
    return {
      schemaVersion: hasSchema ? Number(first("SELECT max(version) FROM schema_migrations")) : 0,
      newestMs: hasSchema ? Number(first(newest)) : 0,
      damage: deep ? findDamage(connection) : [],
    };
  });
}

/** Creates a table and rolls back: this works with every schema version and leaves nothing. */
function findWriteFault(path: string): ExplainedError | undefined {
  try {
    const write = "BEGIN IMMEDIATE; CREATE TABLE write_test (x); ROLLBACK";
    withConnection(path, { timeout: OPEN_WAIT_MS }, (connection) => connection.exec(write));
    // Needed to serve the store, but not to write to it.
    return findMissingRight(path, ["-serving"]);
  } catch (error) {
    const explained = explainSqliteFault(path, error);
    return explained ?? new ExplainedError((error as Error).message, "Run: doctor --deep");
  }
}

function sqliteVersion(): unknown {
  const sql = "SELECT sqlite_version()";
  return withConnection(":memory:", {}, (connection) => connection.prepare(sql).pluck().get());
}
