// Copies a SQLite store while it is in use: as it is at one moment, in small steps that do not stall the service.

import { fdatasyncSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { type BackupProgressInfo, backup, DatabaseSync } from "node:sqlite";
import SqliteConnection from "better-sqlite3";
import {
  NEW_FILE,
  partialOf,
  publish,
  removeLeftovers,
  withFile,
  withTemporaryFiles,
} from "../../files/atomic-file.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { isProcessEnding, trackThreadWork } from "../../files/temporary-files.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { endSnapshot } from "./engine.ts";
import { OPEN_WAIT_MS, refuseOtherKinds, withConnection } from "./files.ts";
import { refuseForeignSqlite } from "./identity.ts";
import { addSeal, type Seal } from "./seal.ts";
import { countRows, type StoreCounts, type StoreSummary, verifyStoreFile } from "./verify.ts";

/**
 * Unsynced pages delay the next fsync of the service: a copy without syncs stalled writes for 150 ms, VACUUM INTO for
 * 110 ms. One sync per half megabyte keeps stalls below 40 ms.
 */
const PAGES_PER_STEP = 128;
/** After each step the backup pauses as long as its sync took, and at least this long. */
const PAUSE_MIN_MS = 2;

type OnProgress = (pagesDone: number, pages: number) => void;

/** `bytes` are without the seal. */
export type BackupReport = StoreSummary & Seal;

/** Replaces the target. The copy is verified before it gets its name. */
export async function backupSqlite(
  source: string,
  target: string,
  onProgress: OnProgress,
): Promise<BackupReport> {
  for (const path of [source, target]) refuseOtherOwner(path);
  removeLeftovers(target);
  const partial = partialOf(target);
  const files = ["", "-journal", "-wal", "-shm"].map((end) => `${partial}${end}`);
  return withTemporaryFiles(files, async () => {
    const counts = await copyPages(source, partial, onProgress);
    // Without WAL mode, the backup is a single file that can be moved.
    withConnection(partial, {}, (connection) => connection.pragma("journal_mode = DELETE"));
    const copied = verifyStoreFile(partial, "The copy");
    if (JSON.stringify(copied.counts) !== JSON.stringify(counts))
      throw new OperatorError(
        "Backup verification failed: the copy differs from the store. Check the disk, and try again.",
      );
    const sealed = await addSeal(partial);
    await publish(target);
    return { ...copied, ...sealed };
  }).catch((error) => {
    throw explainFailure(error, target);
  });
}

/** The error may come from the store or from the target. */
function explainFailure(error: NodeJS.ErrnoException, target: string): Error {
  const isOfSqlite = error.code === "ERR_SQLITE_ERROR" || error instanceof SqliteConnection.SqliteError;
  if (!isOfSqlite) return error;
  return new OperatorError(
    `The backup failed: ${error.message}. Check the disk of ${target}; if it has space left, run "doctor".`,
  );
}

/** Resolves to the number of rows in the store at the moment of the copy. */
async function copyPages(source: string, target: string, onProgress: OnProgress): Promise<StoreCounts> {
  const connection = openSource(source);
  try {
    const counts = countRows(connection);
    const copy = async ({ fd }: { fd: number }) => {
      const progress = ({ totalPages, remainingPages }: BackupProgressInfo) => {
        if (isProcessEnding()) throw new Error("The process is ending.");
        onProgress(totalPages - remainingPages, totalPages);
        sleep(Math.max(PAUSE_MIN_MS, timeSync(fd)));
      };
      await trackThreadWork(backup(connection, target, { rate: PAGES_PER_STEP, progress }));
    };
    await withFile(target, NEW_FILE, copy);
    return counts;
  } finally {
    endSnapshot(connection);
  }
}

/** Throws an OperatorError for the database of another program, and for what is not a file. */
function openSource(path: string): DatabaseSync {
  refuseOtherKinds(path);
  // node:sqlite, because better-sqlite3 caches 13 MB of the copy and writes them at once at the end.
  const connection = new DatabaseSync(path, { timeout: OPEN_WAIT_MS });
  refuseForeignSqlite(connection, path);
  // Without a read transaction, every write of another process would restart the copy.
  connection.exec("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM sqlite_master");
  return connection;
}

function timeSync(fd: number): number {
  const beganMs = performance.now();
  fdatasyncSync(fd);
  return performance.now() - beganMs;
}

/** Blocks the thread, because the next step starts when the progress callback returns. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
