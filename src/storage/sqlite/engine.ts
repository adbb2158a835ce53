// The embedded engine: one connection writes, another reads, both on one file in WAL mode.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import SqliteConnection from "better-sqlite3";
import { ServiceError } from "../../domain/errors.ts";
import { asOwnerOf } from "../../tools/folder-owner.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Database, Transaction } from "../database.ts";
import { asServiceError, explainSqliteFault } from "./faults.ts";
import { asStoreOwner, createMissingFile } from "./files.ts";
import { createGroupWriter, type GroupObserver } from "./group-writer.ts";
import { refuseForeignFile } from "./identity.ts";
import { type ServingLock, takeServingLock } from "./serving-lock.ts";
import { createStatements } from "./statements.ts";

/** How long another process may hold the file while it is opened, such as for recovery after a crash. */
const OPEN_WAIT_MS = 2_000;
/** 16 MB of log; SQLite's own 1,000 pages are full twice a second under load. */
const LOG_PAGES = 4_000;

/** A change of one page, for a test write. */
const CHANGE_AND_UNDO = ["+ 1", "- 1"].map(
  (step) => `UPDATE schema_migrations SET applied_at_ms = applied_at_ms ${step} WHERE version = 1`,
);

export interface SqliteOptions {
  /** Refuses a file that another process serves, and keeps others from serving it. */
  serving?: boolean;
  /** Told the size of each group of transactions that shared one commit. */
  onCommit?: GroupObserver;
}

/**
 * Makes the file and its folder where they are missing. Throws an OperatorError for a file that another process serves,
 * that belongs to another program or that this user may not use; else `unavailable`.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  try {
    return asStoreOwner(path, (realPath) => openHere(realPath, options));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const explained = asOwnerOf(path, () => explainSqliteFault(path, error));
    throw explained ?? new ServiceError("unavailable", { retryAfterSeconds: 1, cause: error });
  }
}

/** All files are opened here, none later: what comes after need not be done as the folder's owner. */
function openHere(path: string, { serving, onCommit }: SqliteOptions): Database {
  let lock: ServingLock | undefined;
  try {
    // Nobody else needs to read the hashes of keys.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    createMissingFile(path);
    // Before a lock is made beside it, and before the journal mode would change it.
    refuseForeignFile(path);
    if (serving) lock = takeServingLock(path);
    return connect(path, onCommit, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function connect(path: string, onCommit: GroupObserver | undefined, lock: ServingLock | undefined): Database {
  const writer = openConnection(path);
  // WAL keeps readers and the writer apart; FULL makes every commit survive a power cut.
  writer.pragma("journal_mode = WAL");
  writer.pragma("synchronous = FULL");
  writer.pragma("foreign_keys = ON");
  // The log is brought into the file in the middle of a commit, and everybody waits: seldom enough that 99 of 100 do not.
  writer.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  // From here on the writer waits by itself: waiting inside SQLite would hold up every other request.
  writer.pragma("busy_timeout = 0");
  const reader = openConnection(path);
  reader.pragma("query_only = ON");
  touch(reader);

  const reads = createStatements(reader);
  const writes = createGroupWriter(writer, onCommit);
  const claims = new Set<bigint>();

  return {
    engine: "sqlite",
    async all(sql, values) {
      return reads.all(sql, values);
    },
    async first(sql, values) {
      return reads.first(sql, values);
    },
    // One writer: every transaction is in order, and none waits long.
    async transaction(work, { claim } = {}) {
      if (claim === undefined) return writes.transaction(work);
      if (claims.has(claim)) throw new ServiceError("idempotency_in_progress");
      claims.add(claim);
      return writes.transaction(work).finally(() => claims.delete(claim));
    },
    async snapshot(work) {
      const connection = asOwnerOf(path, openSnapshot);
      const queries = createStatements(connection);
      try {
        return await work({
          all: async (sql, values) => queries.all(sql, values),
          first: async (sql, values) => queries.first(sql, values),
        });
      } finally {
        asOwnerOf(path, () => endSnapshot(connection));
      }
    },
    async ping() {
      reads.first("SELECT 1");
    },
    foreignChanges: watchForeignChanges(writer),
    canWrite: () => writes.lastFault() === undefined,
    testWrite: () => writes.transaction(changeAndUndo),
    async close() {
      await writes.drained();
      // The last one removes the log.
      asOwnerOf(path, () => {
        reader.close();
        writer.close();
        lock?.release();
      });
    },
  };
}

/** The log could not be emptied meanwhile: done here, it does not fall to the next write of the service. */
export function endSnapshot(connection: { exec(sql: string): unknown; close(): unknown }): void {
  try {
    connection.exec("COMMIT");
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } finally {
    connection.close();
  }
}

/**
 * SQLite's number of commits by others, as the only connection that writes here sees it. Asked once for
 * all requests that are served together: they had arrived before, so a later commit came after them. (3 µs each otherwise.)
 */
function watchForeignChanges(writer: SqliteConnection.Database): () => number {
  const statement = writer.prepare<[], bigint>("PRAGMA data_version").pluck();
  let known: number | undefined;
  const read = () => {
    try {
      return Number(statement.get());
    } catch (error) {
      throw asServiceError(error);
    }
  };
  return () => {
    if (known === undefined) {
      known = read();
      queueMicrotask(() => {
        known = undefined;
      });
    }
    return known;
  };
}

function openSnapshot(path: string): SqliteConnection.Database {
  const connection = openConnection(path);
  connection.exec("BEGIN");
  touch(connection);
  return connection;
}

/** SQLite opens the log with the first read. */
function touch(connection: SqliteConnection.Database): void {
  connection.prepare("SELECT count(*) FROM sqlite_master").get();
}

/** Committed with the same content as before. SQLite writes no page that was given the same value at once. */
async function changeAndUndo(tx: Transaction): Promise<void> {
  for (const statement of CHANGE_AND_UNDO) await tx.run(statement);
}

function openConnection(path: string): SqliteConnection.Database {
  const connection = new SqliteConnection(path, { timeout: OPEN_WAIT_MS });
  connection.defaultSafeIntegers(true);
  return connection;
}
