// SQLite as a Database: one connection that writes and one that reads, on one file in WAL mode.

import SqliteConnection from "better-sqlite3";
import { ServiceError } from "../../domain/basics/errors.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { realPathOf } from "../../files/folders.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Database, Transaction } from "../database.ts";
import type { GroupObserver } from "../group-queue.ts";
import { asServiceError, explainSqliteFault } from "./faults.ts";
import { createMissingFile, createStoreFolder, OPEN_WAIT_MS, refuseOtherKinds } from "./files.ts";
import { createGroupWriter } from "./group-writer.ts";
import { refuseForeignFile } from "./identity.ts";
import { type AddedWork, createQueries } from "./queries.ts";
import { type ServingLock, takeServingLock } from "./serving-lock.ts";

/** A WAL of 16 MB; with SQLite's default of 1,000 pages there are two checkpoints a second under load. */
const WAL_PAGES = 4_000;

export interface SqliteOptions {
  /** Takes the serving lock. Throws if another process has it. */
  serving?: boolean;
  /** Called with the size of each group of transactions that shared a commit. */
  onCommit?: GroupObserver;
}

/**
 * Creates a missing file and folder. Throws an OperatorError if another process serves the file, if it belongs to another
 * program or if this user may not use it; otherwise `unavailable`.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  try {
    refuseOtherOwner(path);
    return openFiles(realPathOf(path), options);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const explained = explainSqliteFault(path, error);
    throw explained ?? new ServiceError("unavailable", { retryAfterSeconds: 1, cause: error });
  }
}

/** The path must not have symbolic links. */
function openFiles(path: string, { serving, onCommit }: SqliteOptions): Database {
  let lock: ServingLock | undefined;
  try {
    createStoreFolder(path);
    refuseOtherKinds(path);
    createMissingFile(path);
    // Before anything is changed: the lock creates a file, and WAL mode changes the header.
    refuseForeignFile(path);
    if (serving) lock = takeServingLock(path);
    return connect(path, onCommit, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function connect(path: string, onCommit: GroupObserver | undefined, lock: ServingLock | undefined): Database {
  const writer = openWriter(path);
  const reader = openReader(path);
  const reads = createQueries(reader, { needsTransaction: false });
  const commitWorks: AddedWork[] = [];
  const writes = createGroupWriter(writer, createQueries(writer, { commitWorks }), { commitWorks, onCommit });
  return {
    engine: "sqlite",
    all: reads.all,
    first: reads.first,
    batched: reads.batched,
    // Every statement stays prepared.
    named: reads.first,
    // There is one writer, so every transaction is in order.
    transaction: (work, { claim } = {}) => writes.write(work, claim),
    async snapshot(work) {
      const connection = openSnapshot(path);
      try {
        return await work(createQueries(connection));
      } finally {
        endSnapshot(connection);
      }
    },
    async ping() {
      await reads.first("SELECT 1");
    },
    foreignChanges: watchForeignChanges(writer),
    canWrite: () => writes.lastFault() === undefined,
    testWrite: () => writes.write(writeWithoutChange),
    async close() {
      await writes.drained();
      // Closing the last connection deletes the WAL.
      reader.close();
      writer.close();
      lock?.release();
    },
  };
}

function openWriter(path: string): SqliteConnection.Database {
  const writer = openConnection(path);
  // In WAL mode, readers do not block the writer. With FULL, every commit survives a power failure.
  writer.pragma("journal_mode = WAL");
  writer.pragma("synchronous = FULL");
  writer.pragma("foreign_keys = ON");
  // A checkpoint delays the commit that triggers it: rare enough not to affect the 99th percentile.
  writer.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
  // The group writer waits instead: a wait inside SQLite blocks the event loop.
  writer.pragma("busy_timeout = 0");
  return writer;
}

function openReader(path: string): SqliteConnection.Database {
  const reader = openConnection(path);
  reader.pragma("query_only = ON");
  openWal(reader);
  return reader;
}

/** The snapshot prevented checkpoints; this one spares the next write of the service the work. */
export function endSnapshot(connection: { exec(sql: string): unknown; close(): unknown }): void {
  try {
    connection.exec("COMMIT");
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } finally {
    connection.close();
  }
}

/**
 * SQLite's counter of commits by other processes. Read once for all requests of an event-loop tick, which saves 3 µs each:
 * a commit after that read came after these requests had arrived.
 */
function watchForeignChanges(writer: SqliteConnection.Database): () => number {
  const statement = writer.prepare<[], bigint>("PRAGMA data_version").pluck();
  let known: number | undefined;
  return () => {
    if (known !== undefined) return known;
    try {
      known = Number(statement.get());
    } catch (error) {
      throw asServiceError(error);
    }
    queueMicrotask(() => {
      known = undefined;
    });
    return known;
  };
}

function openSnapshot(path: string): SqliteConnection.Database {
  const connection = openConnection(path);
  connection.exec("BEGIN");
  openWal(connection);
  return connection;
}

/** SQLite opens the WAL with the first read. */
function openWal(connection: SqliteConnection.Database): void {
  connection.prepare("SELECT count(*) FROM sqlite_master").get();
}

/** Changes one page and restores it by a second statement: SQLite does not write a page whose content did not change. */
async function writeWithoutChange(tx: Transaction): Promise<void> {
  for (const step of ["+ 1", "- 1"])
    await tx.run(`UPDATE schema_migrations SET applied_at_ms = applied_at_ms ${step} WHERE version = 1`);
}

function openConnection(path: string): SqliteConnection.Database {
  const connection = new SqliteConnection(path, { timeout: OPEN_WAIT_MS });
  connection.defaultSafeIntegers(true);
  return connection;
}
