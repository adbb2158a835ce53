// Examines a SQLite store without changing it, for `doctor`.

import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import SqliteConnection from "better-sqlite3";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { findNearest, realPathOf } from "../../files/folders.ts";
import { ExplainedError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import type { Row } from "../database.ts";
import type { Inspection } from "../inspection.ts";
import { versions } from "../migrations/0005-versions.ts";
import { webhooks } from "../migrations/0008-webhooks.ts";
import { storeIdOf } from "../stores/basics/versions.ts";
import { ACTIVE_ADMIN_KEY } from "../stores/keys/api-keys.ts";
import { INSPECT_WEBHOOKS, inspectWebhooks } from "../stores/webhooks/webhook-rows.ts";
import { explainMissingRight, explainSqliteFault } from "./faults.ts";
import { explainCreation, OPEN_WAIT_MS, refuseOtherKinds, withConnection } from "./files.ts";
import { refuseForeignSqlite } from "./identity.ts";
import { adviseRestore } from "./repair.ts";
import { findExposedFiles } from "./rights.ts";
import { isServed } from "./serving-lock.ts";
import { findDamage } from "./verify.ts";

const READ = { readonly: true, timeout: OPEN_WAIT_MS };

/** Throws an ExplainedError for a file that is damaged or of another program, and SQLite's error for other faults. */
export async function inspectSqlite(path: string, { deep }: { deep: boolean }): Promise<Inspection> {
  const engine = `SQLite ${sqliteVersion()}`;
  refuseOtherOwner(path);
  const real = realPathOf(path);
  if (statSync(real, { throwIfNoEntry: false }) === undefined) return describeAbsent(real, engine);
  refuseOtherKinds(path);
  const state = keepWal(real, () => readStore(real, deep));
  return {
    exists: true,
    engine,
    ...state,
    ...(state.damage.length > 0 && { repair: adviseRestore(real) }),
    isServed: isServed(real),
    exposed: findExposedFiles(real),
  };
}

/** The first start creates the folders, too. */
function describeAbsent(path: string, engine: string): Inspection {
  const writeFault = findCreationFault(path);
  return { exists: false, engine, schemaVersion: 0, newestMs: 0, isServed: false, damage: [], writeFault };
}

/** Creates a folder and removes it: rights say nothing about file systems such as /proc. */
function findCreationFault(path: string): ExplainedError | undefined {
  try {
    rmdirSync(mkdtempSync(join(findNearest(dirname(path)), ".animal-store-test-")));
    return undefined;
  } catch (error) {
    return explainCreation(path, error as Error);
  }
}

type StoreContent = Pick<
  Inspection,
  "schemaVersion" | "newestMs" | "damage" | "writeFault" | "storeId" | "hasAdminKey" | "webhooks"
>;

/**
 * The last connection that can write deletes the WAL when it closes. One that a killed service left must stay, so a
 * connection that only reads stays open longer.
 */
function keepWal(path: string, work: () => StoreContent): StoreContent {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const isLeft = wal !== undefined && wal.size > 0;
  try {
    if (!isLeft) return { ...work(), writeFault: findWriteFault(path) };
    return withConnection(path, READ, (connection) => {
      connection.prepare("SELECT count(*) FROM sqlite_master").get();
      return { ...work(), writeFault: findWriteFault(path) };
    });
  } catch (error) {
    if (!isLeft) removeEmptyWal(path);
    throw explainDamage(path, error) ?? error;
  }
}

/** A connection that only reads leaves the empty WAL that it created. One that can write removes it when it closes. */
function removeEmptyWal(path: string): void {
  try {
    withConnection(path, { timeout: 0 }, (connection) => connection.pragma("schema_version"));
  } catch {
    // The store cannot be read, which is reported; the WAL is removed anyway.
  }
}

function readStore(path: string, deep: boolean): StoreContent {
  return withConnection(path, READ, (connection) => {
    refuseForeignSqlite(connection, path);
    const first = (sql: string, ...values: object[]) =>
      Object.values(connection.prepare<object[], Row>(sql).get(...values) ?? {})[0];
    const hasSchema = first("SELECT count(*) FROM sqlite_master WHERE name = 'schema_migrations'") === 1;
    const damage = deep ? findDamage(connection) : [];
    if (!hasSchema) return { schemaVersion: 0, newestMs: 0, damage };
    const schemaVersion = Number(first("SELECT max(version) FROM schema_migrations"));
    const newest =
      "SELECT max(coalesce((SELECT max(applied_at_ms) FROM schema_migrations), 0), coalesce((SELECT max(created_at_ms) FROM api_keys), 0))";
    return {
      schemaVersion,
      newestMs: Number(first(newest)),
      damage,
      hasAdminKey: first(ACTIVE_ADMIN_KEY, { 1: Date.now() }) !== undefined,
      storeId:
        schemaVersion < versions.version ? undefined : storeIdOf(String(first("SELECT epoch FROM store"))),
      webhooks:
        schemaVersion < webhooks.version
          ? undefined
          : inspectWebhooks(connection.prepare<[], Row>(INSPECT_WEBHOOKS).all()),
    };
  });
}

/** Undefined for errors that are not about the content of the file. */
function explainDamage(path: string, error: unknown): ExplainedError | undefined {
  if (!(error instanceof SqliteConnection.SqliteError)) return undefined;
  if (error.code.startsWith("SQLITE_CORRUPT"))
    return new ExplainedError(`${path} is damaged: ${error.message}`, adviseRestore(path));
  if (!error.code.startsWith("SQLITE_NOTADB")) return undefined;
  const advice = `Set DATABASE_URL to another file. If this file was a store, it is damaged. ${adviseRestore(path)}`;
  return new ExplainedError(`${path}: the file is not a database, or its start is damaged`, advice);
}

/** Creates a table and rolls back: this works with every schema version and leaves nothing. */
function findWriteFault(path: string): ExplainedError | undefined {
  try {
    const write = "BEGIN IMMEDIATE; CREATE TABLE write_test (x); ROLLBACK";
    withConnection(path, { timeout: OPEN_WAIT_MS }, (connection) => connection.exec(write));
    // Needed to serve the store, but not to write to it.
    return explainMissingRight(path, ["-serving"]);
  } catch (error) {
    const explained = explainSqliteFault(path, error);
    return explained ?? new ExplainedError((error as Error).message, `Run: ${COMMAND} doctor --deep`);
  }
}

function sqliteVersion(): unknown {
  const sql = "SELECT sqlite_version()";
  return withConnection(":memory:", {}, (connection) => connection.prepare(sql).pluck().get());
}
