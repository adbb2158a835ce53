// Files of a SQLite store: created readable by their owner alone, and checked before SQLite opens them.

import { closeSync, lstatSync, openSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import SqliteConnection from "better-sqlite3";
import { NEW_FILE } from "../../files/atomic-file.ts";
import { createFolders, findNearest } from "../../files/folders.ts";
import { reasonOf } from "../../files/write-errors.ts";
import { ExplainedError, OperatorError } from "../../tools/operator-error.ts";
import { quoteWord } from "../../tools/shell-words.ts";
import { explainMissingRight } from "./faults.ts";

/** How long another process may hold the file, for example for recovery after a crash. */
export const OPEN_WAIT_MS = 2_000;

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

/** Private, because the store holds hashes of keys. Throws an ExplainedError. */
export function createStoreFolder(path: string): void {
  try {
    createFolders(dirname(path), 0o700);
  } catch (error) {
    throw explainCreation(path, error as Error);
  }
}

/** Says why a new store cannot be created at the path. */
export function explainCreation(path: string, error: NodeJS.ErrnoException): ExplainedError {
  const folder = dirname(path);
  const nearest = findNearest(folder);
  const found = statSync(nearest);
  if (!found.isDirectory())
    return new ExplainedError(
      `${path} cannot be created: ${nearest} is not a folder`,
      "Set DATABASE_URL to a file in a folder, or remove that file.",
    );
  const uid = process.geteuid?.();
  // Never the advice to take over a folder above, which may belong to the system.
  const isOwn = nearest === folder || found.uid === uid;
  const missing = isOwn ? explainMissingRight(join(nearest, basename(path))) : undefined;
  if (missing !== undefined) return missing;
  const what = nearest === folder ? path : `the folder ${folder}`;
  const command = `Run as root: install -d -m 700 -o ${uid} -g ${process.getegid?.()} ${quoteWord(folder)}`;
  const isRefused = error.code === "EACCES" && uid !== undefined && uid !== 0;
  const target = "DATABASE_URL to a file in a folder where this user may create files.";
  const advice = isRefused && nearest !== folder ? `${command} – or set ${target}` : `Set ${target}`;
  return new ExplainedError(`${what} cannot be created: ${reasonOf(error)}`, advice);
}

/**
 * Creates the file if it is missing; SQLite gives the WAL the same mode. An existing file is not opened, because closing
 * it would release the locks that this process holds on it.
 */
export function createMissingFile(path: string): void {
  try {
    closeSync(openSync(path, NEW_FILE, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    refuseLink(path);
  }
}

/** Throws an ExplainedError for a folder or a device. A missing file passes. */
export function refuseOtherKinds(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  if (!found.isDirectory())
    throw new ExplainedError(`${path} is not a regular file`, "Set DATABASE_URL to another file.");
  const advice = `Set DATABASE_URL to a file in it: DATABASE_URL=sqlite:${join(path, "animal-store.db")}`;
  throw new ExplainedError(`${path} is a folder, not a database`, advice);
}

/** SQLite would follow it. */
function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new OperatorError(`${path} is a symbolic link, which this service never creates. Remove it.`);
}
