// A copy of a SQLite store while it is being written: one moment of it, in steps that leave the disk to the service.

import { fdatasyncSync } from "node:fs";
import { performance } from "node:perf_hooks";
import SqliteConnection from "better-sqlite3";
import { OperatorError, ServiceError } from "../domain/errors.ts";
import { partialOf, publish, removedAtTheEnd, withFile } from "../files/whole-file.ts";
import { addSeal } from "./seal.ts";
import { endSnapshot } from "./sqlite.ts";
import { asServiceError } from "./sqlite-statements.ts";
import { countRows, examineStoreFile, type StoreCounts, type StoreFile } from "./store-file.ts";

/**
 * A write of the service waits for what the disk has still to do. Pages that were written without a sync in between
 * stalled writes for 150 ms, as VACUUM INTO did for 110 ms; a sync per megabyte keeps them below 40 ms. The driver holds
 * the newest 13 MB of the copy in memory: they are written at the end.
 */
const PAGES_MAX = 256;
const PAGES_MIN = 16;
const SYNC_MS = 10;
const PAUSE_MS = 4;

export interface BackupReport extends StoreFile {
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
  const partial = partialOf(target);
  return removedAtTheEnd([partial, `${partial}-journal`], async () => {
    const counts = await copyPages(source, partial, onProgress).catch((error) => {
      throw explainFailure(error, target);
    });
    makePlain(partial);
    const copied = examineStoreFile(partial, "The copy");
    if (JSON.stringify(copied.counts) !== JSON.stringify(counts))
      throw new OperatorError("The copy does not hold what the store held. Try again; look at the disk.");
    const sealed = await addSeal(partial);
    await publish(target);
    return { ...copied, ...sealed };
  });
}

/** Two files take part: the store, and where its copy goes. */
function explainFailure(error: unknown, target: string): unknown {
  const fault = asServiceError(error);
  if (!(fault instanceof ServiceError)) return fault;
  return new OperatorError(
    `The backup failed: ${(error as Error).message}. Look at the disk that ${target} is on; if there is room, see "doctor".`,
  );
}

/** Resolves to what the store held at the moment of the copy. */
async function copyPages(
  source: string,
  target: string,
  onProgress: (done: number, total: number) => void,
): Promise<StoreCounts> {
  const connection = new SqliteConnection(source, { fileMustExist: true, timeout: 2_000 });
  connection.pragma("journal_mode = WAL");
  // Without a snapshot, every write of another process would make the copy begin anew.
  connection.exec("BEGIN");
  try {
    const counts = countRows(connection);
    const copy = async ({ fd }: { fd: number }) => {
      let pages = PAGES_MIN;
      const progress = ({ totalPages, remainingPages }: SqliteConnection.BackupMetadata) => {
        onProgress(totalPages - remainingPages, totalPages);
        pages = fitPages(pages, timeSync(fd));
        sleep(PAUSE_MS);
        return pages;
      };
      await connection.backup(target, { progress });
    };
    // The hashes of keys are nobody else's to read.
    await withFile(target, "w", copy, true);
    return counts;
  } finally {
    endSnapshot(connection);
  }
}

function timeSync(fd: number): number {
  const beganMs = performance.now();
  fdatasyncSync(fd);
  return performance.now() - beganMs;
}

/** A slow disk gets less at a time. */
function fitPages(pages: number, syncMs: number): number {
  return syncMs > SYNC_MS ? Math.max(PAGES_MIN, pages / 2) : Math.min(PAGES_MAX, pages * 2);
}

/** The driver takes its steps without a pause between them; this process has nothing else to do. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** One file that needs no log beside it, so that it can be taken anywhere. */
function makePlain(path: string): void {
  const connection = new SqliteConnection(path);
  connection.pragma("journal_mode = DELETE");
  connection.close();
}
