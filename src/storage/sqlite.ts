// The embedded engine: one connection writes, another reads, both on one file in WAL mode.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import SqliteConnection from "better-sqlite3";
import type { Database } from "./database.ts";
import { takeServingLock } from "./serving-lock.ts";
import { createGroupWriter, type GroupObserver } from "./sqlite-group-writer.ts";
import { asServiceError, createStatements } from "./sqlite-statements.ts";

export interface SqliteOptions {
  /** Refuses a file that another process serves, and keeps others from serving it. */
  serving?: boolean;
  /** Told the size of each group of transactions that shared one commit. */
  onCommit?: GroupObserver;
}

/** Makes the file and its folder where they are missing. */
export function openSqlite(path: string, options: SqliteOptions = {}): Database {
  mkdirSync(dirname(path), { recursive: true });
  const lock = options.serving ? takeServingLock(path) : undefined;
  const writer = openConnection(path);
  // WAL keeps readers and the writer apart; FULL makes every commit survive a power cut.
  writer.pragma("journal_mode = WAL");
  writer.pragma("synchronous = FULL");
  writer.pragma("foreign_keys = ON");
  const reader = openConnection(path);
  reader.pragma("query_only = ON");

  const reads = createStatements(reader);
  const writes = createGroupWriter(writer, options.onCommit);

  return {
    async all(sql, values) {
      return reads.all(sql, values);
    },
    async first(sql, values) {
      return reads.first(sql, values);
    },
    transaction: writes.transaction,
    async close() {
      await writes.drained();
      reader.close();
      writer.close();
      lock?.release();
    },
  };
}

function openConnection(path: string): SqliteConnection.Database {
  try {
    // No waiting inside SQLite: it would hold up every other request. The writer waits by itself.
    const connection = new SqliteConnection(path, { timeout: 0 });
    connection.defaultSafeIntegers(true);
    return connection;
  } catch (error) {
    throw asServiceError(error);
  }
}
