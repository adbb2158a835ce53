// Detects a SQLite file that belongs to another program, which is left unchanged.

import { ExplainedError } from "../../tools/operator-error.ts";
import { type Identity, identify, toList } from "../identity.ts";
import { OPEN_WAIT_MS, withConnection } from "./files.ts";

/** "ANST" in the header of the file. Stores of versions before 1.0.0 do not have it and are recognised by their tables. */
export const APPLICATION_ID = 0x414e5354;

/** One statement, because another process may be creating the store at the same time. */
const CATALOG = `SELECT (SELECT application_id FROM pragma_application_id) AS id,
    (SELECT group_concat(name, char(10)) FROM sqlite_master
     WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\') AS tables,
    (SELECT group_concat(name, char(10)) FROM pragma_table_info('schema_migrations')) AS columns`;

/** A SQLite connection of either driver. */
export interface Readable {
  prepare(sql: string): { all(): unknown[] };
}

export function identifySqlite(connection: Readable): Identity {
  const [row] = connection.prepare(CATALOG).all() as Array<Record<string, unknown>>;
  const id = Number(row?.id);
  if (id !== 0 && id !== APPLICATION_ID) return "foreign";
  const identity = identify({ tables: toList(row?.tables), migrationColumns: toList(row?.columns) });
  return id === APPLICATION_ID && identity === "foreign" ? "store" : identity;
}

/** Throws an OperatorError for the database of another program. */
export function refuseForeignSqlite(connection: Readable, path: string): void {
  if (identifySqlite(connection) !== "foreign") return;
  throw new ExplainedError(
    `${path} is a database of another program, not a store of this service`,
    "Nothing was changed. Set DATABASE_URL to another file.",
  );
}

/** The same check for a file that is not open yet. */
export function refuseForeignFile(path: string): void {
  const options = { readonly: true, timeout: OPEN_WAIT_MS };
  withConnection(path, options, (connection) => refuseForeignSqlite(connection, path));
}
