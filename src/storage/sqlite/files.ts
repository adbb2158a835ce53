// Files of a SQLite store: used with the rights of the folder's owner, created readable by that owner alone.

import { closeSync, lstatSync, openSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { NEW_FILE } from "../../tools/atomic-file.ts";
import { asOwnerOf, giveToOwner } from "../../tools/folder-owner.ts";
import { OperatorError } from "../../tools/operator-error.ts";

/** How long another process may hold the file, for example for recovery after a crash. */
export const OPEN_WAIT_MS = 2_000;

let isLoaded = false;

/** `asOwnerOf` for work that opens SQLite files by name. */
export function asStoreOwner<T>(path: string, work: (realPath: string) => T): T {
  loadNativeModule();
  return asOwnerOf(path, work);
}

/** better-sqlite3 loads it with the first connection, when the folder's owner may be unable to read the program. */
function loadNativeModule(): void {
  if (isLoaded || process.getuid?.() !== 0) return;
  new SqliteConnection(":memory:").close();
  isLoaded = true;
}

/** Closes the connection after `work`. */
export function withConnection<T>(
  path: string,
  options: SqliteConnection.Options,
  work: (connection: SqliteConnection.Database) => T,
): T {
  const connection = new SqliteConnection(path, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/**
 * Creates the file if it is missing; SQLite gives the WAL the same mode. An existing file is not opened, because closing
 * it would release the locks that this process holds on it.
 */
export function createMissingFile(path: string): void {
  try {
    const fd = openSync(path, NEW_FILE, 0o600);
    giveToOwner(fd);
    closeSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    refuseLink(path);
  }
}

/** SQLite would follow it. */
function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new OperatorError(`${path} is a symbolic link, which this service never creates. Remove it.`);
}
