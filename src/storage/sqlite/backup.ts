// A copy of a SQLite store while it is being written: one moment of it, in steps that leave the disk to the service.

import { fdatasyncSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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
} from "../../tools/atomic-file.ts";
import { asOwnerOf } from "../../tools/folder-owner.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { isProcessEnding, trackThreadWork } from "../../tools/temporary-files.ts";
import { endSnapshot } from "./engine.ts";
import { asStoreOwner } from "./files.ts";
import { refuseForeignSqlite } from "./identity.ts";
import { addSeal } from "./seal.ts";
import { countRows, type StoreCounts, type StoreSummary, verifyStoreFile } from "./verify.ts";

/**
 * A write of the service waits for what the disk has still to do. Pages that were written without a sync in between
 * stalled writes for 150 ms, as VACUUM INTO did for 110 ms; a sync per half megabyte keeps them below 40 ms.
 */
const PAGES_PER_STEP = 128;
/** The disk rests as long as the last step kept it busy, and at least so long. */
const PAUSE_MIN_MS = 2;

export interface BackupReport extends StoreSummary {
  /** Of the database in it. */
  bytes: number;
  checksum: string;
}

/** The target is replaced. It is checked before it gets its name. */
export async function backupSqlite(
  source: string,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<BackupReport> {
  removeLeftovers(target);
  // SQLite opens these files by their names.
  const work = (folder: string) => writeBackup(source, join(folder, basename(target)), onProgress);
  return asStoreOwner(dirname(target), work).catch((error) => {
    throw explainFailure(error, target);
  });
}

async function writeBackup(
  source: string,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<BackupReport> {
  const partial = partialOf(target);
  const files = ["", "-journal", "-wal", "-shm"].map((end) => `${partial}${end}`);
  return withTemporaryFiles(files, async () => {
    const counts = await copyPages(source, partial, onProgress);
    makePlain(partial);
    const copied = verifyStoreFile(partial, "The copy");
    if (JSON.stringify(copied.counts) !== JSON.stringify(counts))
      throw new OperatorError("The copy does not hold what the store held. Try again; look at the disk.");
    const sealed = await addSeal(partial);
    await publish(target);
    return { ...copied, ...sealed };
  });
}

/** Two files take part: the store, and where its copy goes. */
function explainFailure(error: NodeJS.ErrnoException, target: string): Error {
  const isOfSqlite = error.code === "ERR_SQLITE_ERROR" || error instanceof SqliteConnection.SqliteError;
  if (!isOfSqlite) return error;
  return new OperatorError(
    `The backup failed: ${error.message}. Look at the disk that ${target} is on; if there is room, see "doctor".`,
  );
}

/** Resolves to what the store held at the moment of the copy. */
async function copyPages(
  source: string,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<StoreCounts> {
  const connection = asOwnerOf(source, openSource);
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
    asOwnerOf(source, () => endSnapshot(connection));
  }
}

/** Throws an OperatorError for the database of another program. */
function openSource(path: string): DatabaseSync {
  // Node's SQLite, whose cache for the copy is small: the other driver keeps the newest 13 MB and writes them at once.
  const connection = new DatabaseSync(path, { timeout: 2_000 });
  refuseForeignSqlite(connection, path);
  // Without a snapshot, every write of another process would make the copy begin anew.
  connection.exec("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM sqlite_master");
  return connection;
}

function timeSync(fd: number): number {
  const beganMs = performance.now();
  fdatasyncSync(fd);
  return performance.now() - beganMs;
}

/** The next step begins when the callback has returned; this process has nothing else to do. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** One file that needs no log beside it, so that it can be taken anywhere. */
function makePlain(path: string): void {
  const connection = new SqliteConnection(path);
  try {
    connection.pragma("journal_mode = DELETE");
  } finally {
    connection.close();
  }
}
