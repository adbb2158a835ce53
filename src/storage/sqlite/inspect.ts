// A look at a SQLite store without changing it, for the doctor.

import { existsSync, statSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { ExplainedError } from "../../tools/operator-error.ts";
import type { Row } from "../database.ts";
import { refuseForeignSqlite } from "../identity.ts";
import type { Inspection } from "../inspection.ts";
import { explainSqliteFault, findMissingRight, modeOf, STORE_FILES } from "./faults.ts";
import { isServed } from "./serving-lock.ts";
import { asStoreOwner } from "./store-owner.ts";

const BUSY_WAIT_MS = 2_000;

/** Throws what SQLite says when the file cannot be read, and an OperatorError for one of another program. */
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
      ...look(real, deep),
      writeFault: findWriteFault(real),
      exposure: findExposure(real),
    };
  });
}

function look(
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

/** A table that is made and unmade in a transaction: it works with every schema, and leaves nothing. */
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

/** Release 1.0 left the mode to the umask. Windows has no such modes. */
function findExposure(path: string): ExplainedError | undefined {
  if (process.platform === "win32") return undefined;
  const open = STORE_FILES.map((end) => `${path}${end}`).flatMap((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o077) !== 0 ? [{ file, mode: modeOf(found) }] : [];
  });
  if (open.length === 0) return undefined;
  const described = open.map(({ file, mode }) => `${file}, mode ${mode}`).join("; ");
  const files = open.map(({ file }) => file).join(" ");
  return new ExplainedError(`other users may use ${described}`, `Run: chmod 600 ${files}`);
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
