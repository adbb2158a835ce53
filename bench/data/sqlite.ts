// Fills SQLite files with animals: the store of the service, and the database that the peers copy.

import { closeSync, fsyncSync, openSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { insertStatements } from "./animals.ts";
import { createPeerKey, PEER_LIMIT } from "./peer-key.ts";

/** A typical schema for the same interface. */
const PEER_SCHEMA = `
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL
  );
  CREATE INDEX pets_by_status ON pets (status, id);
  CREATE TABLE api_keys (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, per_minute INTEGER NOT NULL);
`;

/** The file at `path` must have the schema of the service. */
export function fillSqlite(path: string, animals: number): void {
  const connection = new SqliteConnection(path);
  try {
    fill(connection, animals);
  } finally {
    connection.close();
  }
  flushFile(path);
}

/** Without this, the kernel would write the file during a round. */
export function flushFile(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** Returns the key of the peer. */
export function makePeerDatabase(path: string, animals: number): string {
  const { key, hash } = createPeerKey();
  const connection = new SqliteConnection(path);
  try {
    connection.exec(PEER_SCHEMA);
    connection.prepare("INSERT INTO api_keys (hash, per_minute) VALUES (?, ?)").run(hash, PEER_LIMIT);
    fill(connection, animals);
  } finally {
    connection.close();
  }
  return key;
}

function fill(connection: SqliteConnection.Database, animals: number): void {
  // No journal is needed: the file is not in use yet, and is deleted if this fails.
  connection.pragma("journal_mode = OFF");
  connection.pragma("synchronous = OFF");
  connection.exec("BEGIN");
  for (const statement of insertStatements("sqlite", animals)) connection.exec(statement);
  connection.exec("COMMIT");
  connection.pragma("journal_mode = WAL");
}
