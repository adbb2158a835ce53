// Ensures one serving process per SQLite file, by a lock that the kernel releases when the process ends.

import { existsSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { OperatorError } from "../../tools/operator-error.ts";
import { isBusy } from "./faults.ts";
import { createMissingFile, withConnection } from "./files.ts";

/** Another process may be checking whether the file is served. */
const LOCK_WAIT_MS = 500;

export interface ServingLock {
  release(): void;
}

/** The path must not have symbolic links. Throws an OperatorError when another process serves the file. */
export function takeServingLock(databasePath: string): ServingLock {
  const lockPath = `${databasePath}-serving`;
  createMissingFile(lockPath);
  const connection = new SqliteConnection(lockPath, { timeout: LOCK_WAIT_MS });
  try {
    connection.pragma("journal_mode = MEMORY");
    // An open write transaction holds an advisory lock of the operating system.
    connection.exec("BEGIN EXCLUSIVE");
    // On a read-only file, BEGIN succeeds without a lock, but a write fails.
    connection.pragma("user_version = 1");
  } catch (error) {
    connection.close();
    if (!isBusy(error)) throw error;
    throw new OperatorError(
      `Another process already serves ${databasePath}. Stop it first, or use another file with DATABASE_URL=sqlite:OTHER.db. Several nodes on one store need PostgreSQL.`,
    );
  }
  return { release: () => connection.close() };
}

/** Checks without taking the lock. For a path without symbolic links. */
export function isServed(databasePath: string): boolean {
  const lockPath = `${databasePath}-serving`;
  if (!existsSync(lockPath)) return false;
  try {
    const read = "SELECT count(*) FROM sqlite_master";
    withConnection(lockPath, { readonly: true, timeout: 0 }, (connection) => connection.prepare(read).get());
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}
