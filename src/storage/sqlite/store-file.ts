// A SQLite file looked at as a whole: is it sound, is it a store of this service, what does it hold?

import SqliteConnection from "better-sqlite3";
import { OperatorError } from "../../tools/operator-error.ts";
import { identifySqlite, type Readable } from "../identity.ts";
import { refuseNewerSchema } from "../migrations/migrate.ts";
import { findDamage } from "./inspect.ts";

/** The tables whose rows are counted, by the words of the commands. */
const COUNTED = {
  animals: "pets",
  orders: "orders",
  categories: "categories",
  keys: "api_keys",
  history: "history",
};

export type StoreCounts = Partial<Record<keyof typeof COUNTED, number>>;

export interface StoreFile {
  schemaVersion: number;
  counts: StoreCounts;
}

/** Reads all of it. Throws an OperatorError for a file that is damaged, of another service, or of a newer release. */
export function examineStoreFile(path: string, name: string): StoreFile {
  try {
    const connection = new SqliteConnection(path, { fileMustExist: true });
    try {
      return examine(connection, name);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
    throw new OperatorError(`${name} is damaged: ${error.message}.`);
  }
}

function examine(connection: SqliteConnection.Database, name: string): StoreFile {
  const [damage] = findDamage(connection);
  if (damage !== undefined) throw new OperatorError(`${name} is damaged: ${damage.split("\n")[0]}.`);
  if (identifySqlite(connection) !== "store")
    throw new OperatorError(`${name} is a database, but not one of this service.`);
  const schemaVersion = readNumber(connection, "SELECT max(version) FROM schema_migrations");
  refuseNewerSchema(schemaVersion);
  return { schemaVersion, counts: countRows(connection) };
}

/** Of the tables that are there: an older schema has fewer. */
export function countRows(connection: Readable): StoreCounts {
  const tables = tablesOf(connection);
  const known = Object.entries(COUNTED).filter(([, table]) => tables.has(table));
  return Object.fromEntries(
    known.map(([word, table]) => [word, readNumber(connection, `SELECT count(*) FROM ${table}`)]),
  );
}

function tablesOf(connection: Readable): Set<unknown> {
  return new Set(readColumn(connection, "SELECT name FROM sqlite_master WHERE type = 'table'"));
}

function readNumber(connection: Readable, sql: string): number {
  return Number(readColumn(connection, sql)[0]);
}

function readColumn(connection: Readable, sql: string): unknown[] {
  const rows = connection.prepare(sql).all() as object[];
  return rows.map((row) => Object.values(row)[0]);
}
