// Verifies a whole SQLite file before a backup is published or restored: integrity, identity, schema, number of rows.

import type { FileHandle } from "node:fs/promises";
import SqliteConnection from "better-sqlite3";
import { OperatorError } from "../../tools/operator-error.ts";
import { refuseNewerSchema } from "../migrations/migrate.ts";
import { withConnection } from "./files.ts";
import { identifySqlite, type Readable } from "./identity.ts";

/** The tables whose rows are counted, by the words that the commands print. */
const COUNTED = {
  animals: "pets",
  orders: "orders",
  categories: "categories",
  keys: "api_keys",
  history: "history",
};

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
/** The page size that does not fit into its two bytes is written as this. */
const PAGE_SIZE_MAX = 1;

export type StoreCounts = Partial<Record<keyof typeof COUNTED, number>>;

export interface StoreSummary {
  schemaVersion: number;
  counts: StoreCounts;
}

/**
 * Reads the whole file. Throws an OperatorError if it is damaged, of another program, or of a newer release; `label` is
 * its name in the message.
 */
export function verifyStoreFile(path: string, label: string): StoreSummary {
  try {
    return withConnection(path, { fileMustExist: true }, (connection) => verify(connection, label));
  } catch (error) {
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
    throw new OperatorError(`${label} is damaged: ${error.message}.`);
  }
}

function verify(connection: SqliteConnection.Database, label: string): StoreSummary {
  const [damage] = findDamage(connection);
  if (damage !== undefined) throw new OperatorError(`${label} is damaged: ${damage.split("\n")[0]}.`);
  if (identifySqlite(connection) !== "store")
    throw new OperatorError(`${label} is a database, but not one of this service.`);
  const schemaVersion = readNumber(connection, "SELECT max(version) FROM schema_migrations");
  refuseNewerSchema(schemaVersion);
  return { schemaVersion, counts: countRows(connection) };
}

/** Findings of SQLite's integrity check; empty for a sound file. */
export function findDamage(connection: SqliteConnection.Database): string[] {
  const rows = connection.pragma("integrity_check") as Array<{ integrity_check: string }>;
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== "ok");
}

/** Counts only tables that exist: an older schema has fewer. */
export function countRows(connection: Readable): StoreCounts {
  const tables = new Set(readColumn(connection, "SELECT name FROM sqlite_master WHERE type = 'table'"));
  const known = Object.entries(COUNTED).filter(([, table]) => tables.has(table));
  return Object.fromEntries(
    known.map(([word, table]) => [word, readNumber(connection, `SELECT count(*) FROM ${table}`)]),
  );
}

function readNumber(connection: Readable, sql: string): number {
  return Number(readColumn(connection, sql)[0]);
}

function readColumn(connection: Readable, sql: string): unknown[] {
  const rows = connection.prepare(sql).all() as object[];
  return rows.map((row) => Object.values(row)[0]);
}

/** Without SQLite; undefined for a file that has the length its header says. */
export async function findHeaderFault(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  if (size === 0) return "it is empty";
  const { buffer } = await file.read({ position: 0, buffer: Buffer.alloc(HEADER_BYTES) });
  if (buffer.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a SQLite database";
  const pageSize = buffer.readUInt16BE(16);
  // Very old versions of SQLite wrote no number of pages.
  const isCounted = buffer.readUInt32BE(24) === buffer.readUInt32BE(92);
  const bytes = buffer.readUInt32BE(28) * (pageSize === PAGE_SIZE_MAX ? 65_536 : pageSize);
  return isCounted && size < bytes ? `it is cut off after ${size} of ${bytes} bytes` : undefined;
}
