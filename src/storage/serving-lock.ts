// One serving process per SQLite file: a lock that the kernel lets go when the process ends, however it ends.

import SqliteConnection from "better-sqlite3";
import { isBusy } from "./sqlite-statements.ts";

export class AlreadyServedError extends Error {}

export interface ServingLock {
  release(): void;
}

/** Throws an AlreadyServedError when another process serves the file. */
export function takeServingLock(databasePath: string): ServingLock {
  const lockPath = `${databasePath}-serving`;
  const connection = new SqliteConnection(lockPath, { timeout: 0 });
  try {
    // A write transaction that never ends; it holds an advisory lock of the operating system.
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (!isBusy(error)) throw error;
    throw new AlreadyServedError(
      `Another process already serves ${databasePath}. Stop it first, or give this one its own file with DATABASE_URL=sqlite:OTHER.db. Many nodes on one store need PostgreSQL.`,
    );
  }
  return { release: () => connection.close() };
}
