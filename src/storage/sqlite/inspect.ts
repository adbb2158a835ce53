// Examines a SQLite store without changing it, for `doctor`.

import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import SqliteConnection from "better-sqlite3";
import { ServiceError } from "../../domain/basics/errors.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { findNearest, realPathOf } from "../../files/folders.ts";
import { ExplainedError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import { type Inspection, inspectContent, readNewestTime } from "../inspection.ts";
import { readSchemaVersion } from "../migrations/migrate.ts";
import { explainMissingRight, explainSqliteFault } from "./faults.ts";
import { explainCreation, OPEN_WAIT_MS, refuseOtherKinds, withConnection } from "./files.ts";
import { refuseForeignSqlite } from "./identity.ts";
import { createQueries } from "./queries.ts";
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
  const state = await keepWal(real, async () => ({
    ...(await readStore(real, deep)),
    writeFault: findWriteFault(real),
  }));
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

/**
 * The last connection that can write deletes the WAL when it closes. One that a killed service left must stay, so a
 * connection that only reads stays open longer.
 */
async function keepWal<T>(path: string, work: () => Promise<T>): Promise<T> {
  const isLeft = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const keeper = isLeft ? new SqliteConnection(path, READ) : undefined;
  try {
    keeper?.prepare("SELECT count(*) FROM sqlite_master").get();
    return await work();
  } catch (error) {
    if (!isLeft) removeEmptyWal(path);
    throw explainDamage(path, error) ?? error;
  } finally {
    keeper?.close();
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

/** The long check of the whole file comes before the first `await`, so it blocks the process before other checks begin. */
async function readStore(path: string, deep: boolean) {
  const connection = new SqliteConnection(path, READ);
  try {
    refuseForeignSqlite(connection, path);
    const damage = deep ? findDamage(connection) : [];
    const queries = createQueries(connection, { needsTransaction: false });
    const schemaVersion = await readSchemaVersion(queries);
    const newestMs = await readNewestTime(queries, schemaVersion);
    return { schemaVersion, newestMs, damage, ...(await inspectContent(queries, schemaVersion)) };
  } finally {
    connection.close();
  }
}

/** Undefined for errors that are not about the content of the file. */
function explainDamage(path: string, error: unknown): ExplainedError | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!(cause instanceof SqliteConnection.SqliteError)) return undefined;
  if (cause.code.startsWith("SQLITE_CORRUPT"))
    return new ExplainedError(`${path} is damaged: ${cause.message}`, adviseRestore(path));
  if (!cause.code.startsWith("SQLITE_NOTADB")) return undefined;
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
