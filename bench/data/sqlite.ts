// Fills SQLite files with animals: the store of the service, and the database that the peers copy.

import { closeSync, fsyncSync, openSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { toGramText } from "../../src/storage/search/grams.ts";
import { INSERT_TEXTS, insertStatements } from "./animals.ts";
import { listingRow, PET_COLUMNS } from "./listings.ts";
import { createPeerKey, PEER_LIMIT } from "./peer-key.ts";

const INDEX_BATCH = 50_000;

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
    connection.exec(INSERT_TEXTS);
    indexTexts(connection, animals);
  } finally {
    connection.close();
  }
  flushFile(path);
}

/** The same with animals that have profiles. */
export function fillSqliteListings(path: string, animals: number): void {
  const connection = new SqliteConnection(path);
  try {
    connection.pragma("synchronous = OFF");
    const places = PET_COLUMNS.split(", ").map(() => "?");
    const insertPet = connection.prepare(`INSERT INTO pets (${PET_COLUMNS}) VALUES (${places.join(", ")})`);
    const insertText = connection.prepare("INSERT INTO pet_texts (pet_id, text) VALUES (?, ?)");
    connection.exec("BEGIN");
    for (let i = 1; i <= animals; i++) {
      const row = listingRow(i, animals);
      insertPet.run(row.slice(0, -1));
      insertText.run(i, row.at(-1));
    }
    connection.exec("COMMIT");
    indexTexts(connection, animals);
  } finally {
    connection.close();
  }
  flushFile(path);
}

/** What the service does in the background, so that it does not do it during a round. */
function indexTexts(connection: SqliteConnection.Database, animals: number): void {
  const read = connection.prepare<[number, number], { pet_id: number; text: string }>(
    "SELECT pet_id, text FROM pet_texts WHERE pet_id > ? AND pet_id <= ? ORDER BY pet_id DESC",
  );
  const add = connection.prepare("INSERT INTO pet_index (rowid, text) VALUES (?, ?)");
  for (let after = 0; after < animals; after += INDEX_BATCH) {
    connection.exec("BEGIN");
    for (const { pet_id, text } of read.all(after, after + INDEX_BATCH)) add.run(-pet_id, toGramText(text));
    connection.exec("COMMIT");
  }
  connection.exec("INSERT INTO pet_index (pet_index, rank) VALUES ('merge', 1000000)");
  connection.prepare("UPDATE store SET indexed_through = ?").run(animals);
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
