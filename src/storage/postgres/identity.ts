// Detects a PostgreSQL schema that belongs to another program, which is left unchanged.

import { ExplainedError } from "../../tools/operator-error.ts";
import type { Queries } from "../database.ts";
import { identify, toList } from "../identity.ts";

/** Tables are created and looked for in the first schema of the search path. Tables of extensions do not count. */
const CATALOG = `SELECT
    (SELECT string_agg(relname::text, chr(10)) FROM pg_class
     WHERE relnamespace = own.oid AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT EXISTS (SELECT 1 FROM pg_depend
         WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')) AS tables,
    (SELECT string_agg(attname::text, chr(10)) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = own.oid AND relname = 'schema_migrations' AND attnum > 0 AND NOT attisdropped) AS columns
  FROM pg_namespace AS own WHERE nspname = current_schema()`;

/** Throws an OperatorError for a schema that holds only tables of another program. */
export async function refuseForeignSchema(queries: Queries): Promise<void> {
  const row = await queries.first(CATALOG);
  if (row === undefined) {
    throw new ExplainedError(
      "The search_path of this connection names no schema that exists",
      "Create the schema first, or correct DATABASE_URL.",
    );
  }
  const tables = toList(row.tables);
  if (identify({ tables, migrationColumns: toList(row.columns) }) !== "foreign") return;
  const [first = ""] = tables;
  throw new ExplainedError(
    `The database holds tables of another program (${tables.length}, such as "${first}") and no store of this service`,
    `Nothing was changed. Give the service its own database, or its own schema: CREATE SCHEMA animals, then add ?options=-csearch_path%3Danimals to DATABASE_URL.`,
  );
}
