// The rights that the service needs on its PostgreSQL tables, and those that its role lacks.

import { ExplainedError } from "../../tools/operator-error.ts";
import type { Queries } from "../database.ts";
import { TABLES, type TableName } from "../tables.ts";

/** Tables that the service does not change in every way. Triggers update the inventory with the rights of the role. */
const FEWER_WRITES: Partial<Record<TableName, string>> = {
  api_keys: "INSERT UPDATE",
  orders: "INSERT UPDATE",
  image_files: "INSERT DELETE",
  // EVENTS_KEEP_DAYS deletes old events.
  history: "INSERT DELETE",
  audit: "INSERT",
  inventory: "UPDATE",
  imports: "INSERT UPDATE",
  store: "UPDATE",
};

export function writesOf(table: TableName): string[] {
  return (FEWER_WRITES[table] ?? "INSERT UPDATE DELETE").split(" ");
}

const NEEDED = (Object.keys(TABLES) as TableName[]).flatMap((table) =>
  ["SELECT", ...writesOf(table)].map((right) => `('${table}', '${right}')`),
);

/** Only existing tables are checked: an older schema has fewer. */
const TABLES_WITHOUT_RIGHTS = `SELECT format('%I.%I', nspname, relname) AS name, quote_ident(current_user) AS role
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = current_schema() AND relkind IN ('r', 'p') AND EXISTS (
    SELECT FROM (VALUES ${NEEDED.join(", ")}) AS needed (name, privilege)
    WHERE needed.name = relname AND NOT has_table_privilege(pg_class.oid, needed.privilege)
  )
  ORDER BY relname`;

/** Throws an ExplainedError with the tables and the GRANT command to run. */
export async function requireRights(queries: Queries): Promise<void> {
  const rows = await queries.all(TABLES_WITHOUT_RIGHTS);
  const [first] = rows;
  if (first === undefined) return;
  const tables = rows.map(({ name }) => name).join(", ");
  throw new ExplainedError(
    `role ${first.role} lacks rights on ${tables}`,
    `Let the owner of the tables run: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${first.role}`,
  );
}
