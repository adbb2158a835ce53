// Whose database it is: a store of this service, an empty one, or that of another program, which is left alone.

import SqliteConnection from "better-sqlite3";
import { ExplainedError } from "../tools/operator-error.ts";
import type { Database, Queries } from "./database.ts";

/** In the header of every SQLite store since it is set; "ANST". Older stores are known by their tables. */
export const APPLICATION_ID = 0x414e5354;

/** Of every schema of this service, and of no other program that has a table of this name, as Rails and Ecto do. */
const MIGRATION_COLUMNS = ["version", "name", "applied_at_ms"];
const TABLES = ["schema_migrations", "pets", "api_keys"];

/** How long another process may hold the file, such as for recovery after a crash. */
const OPEN_WAIT_MS = 2_000;

type Identity = "empty" | "store" | "foreign";

/** One statement each: another process may be creating the store meanwhile. */
const LOOK = {
  sqlite: `SELECT (SELECT application_id FROM pragma_application_id) AS id,
      (SELECT group_concat(name, char(10)) FROM sqlite_master
       WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\') AS tables,
      (SELECT group_concat(name, char(10)) FROM pragma_table_info('schema_migrations')) AS columns`,
  // Tables are created in the first schema of the search path, and looked for there. Those of extensions do not count.
  postgres: `SELECT 0 AS id,
      (SELECT string_agg(relname::text, chr(10)) FROM pg_class
       WHERE relnamespace = own.oid AND relkind IN ('r', 'p', 'v', 'm', 'f')
         AND NOT EXISTS (SELECT 1 FROM pg_depend
           WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')) AS tables,
      (SELECT string_agg(attname::text, chr(10)) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = own.oid AND relname = 'schema_migrations' AND attnum > 0 AND NOT attisdropped) AS columns
    FROM pg_namespace AS own WHERE nspname = current_schema()`,
};

interface Look {
  id: number;
  tables: string[];
  columns: string[];
}

/** What a SQLite connection of either driver can do. */
export interface Readable {
  prepare(sql: string): { all(): unknown[] };
}

export function identifySqlite(connection: Readable): Identity {
  return judge(toLook(connection.prepare(LOOK.sqlite).all()[0] as Record<string, unknown>));
}

/** Throws an OperatorError for the database of another program. */
export function refuseForeignSqlite(connection: Readable, path: string): void {
  if (identifySqlite(connection) !== "foreign") return;
  throw new ExplainedError(
    `${path} is a database of another program, not a store of this service`,
    "Nothing was changed. Set DATABASE_URL to a file of its own.",
  );
}

/** The same for a file that nobody here has opened yet. */
export function refuseForeignFile(path: string): void {
  const connection = new SqliteConnection(path, { readonly: true, timeout: OPEN_WAIT_MS });
  try {
    refuseForeignSqlite(connection, path);
  } finally {
    connection.close();
  }
}

/** The same for PostgreSQL. SQLite files are looked at when they are opened. */
export async function refuseForeignTables(db: Pick<Database, "engine">, queries: Queries): Promise<void> {
  if (db.engine !== "postgres") return;
  const row = await queries.first(LOOK.postgres);
  if (row === undefined) {
    throw new ExplainedError(
      "The search_path of this connection names no schema that exists",
      "Create the schema first, or correct DATABASE_URL.",
    );
  }
  const look = toLook(row);
  if (judge(look) !== "foreign") return;
  const [first = ""] = look.tables;
  throw new ExplainedError(
    `The database holds tables of another program (${look.tables.length}, such as "${first}") and no store of this service`,
    `Nothing was changed. Give the service a database of its own, or a schema of its own: CREATE SCHEMA animals, then add ?options=-csearch_path%3Danimals to DATABASE_URL.`,
  );
}

function toLook(row: Record<string, unknown>): Look {
  const list = (value: unknown) => (typeof value === "string" && value !== "" ? value.split("\n") : []);
  return { id: Number(row.id), tables: list(row.tables), columns: list(row.columns) };
}

function judge({ id, tables, columns }: Look): Identity {
  if (id !== 0 && id !== APPLICATION_ID) return "foreign";
  if (tables.length === 0) return "empty";
  const hasTables = TABLES.every((table) => tables.includes(table));
  const hasColumns = MIGRATION_COLUMNS.every((column) => columns.includes(column));
  return id === APPLICATION_ID || (hasTables && hasColumns) ? "store" : "foreign";
}
