// The rights that the service needs on its PostgreSQL tables, and those that its role lacks.

import { ExplainedError } from "../../tools/operator-error.ts";
import type { Queries } from "../database.ts";
import type { TableName } from "../tables.ts";

/** In addition to SELECT. Triggers update the inventory with the rights of the role. */
export const WRITES: Record<TableName, string> = {
  pets: "INSERT UPDATE DELETE",
  pet_texts: "INSERT UPDATE DELETE",
  api_keys: "INSERT UPDATE",
  api_key_secrets: "INSERT UPDATE DELETE",
  key_counts: "INSERT UPDATE DELETE",
  orders: "INSERT UPDATE",
  images: "INSERT UPDATE DELETE",
  image_files: "INSERT DELETE",
  photos: "INSERT UPDATE DELETE",
  categories: "INSERT UPDATE DELETE",
  // EVENTS_KEEP_DAYS deletes old events.
  history: "INSERT DELETE",
  audit: "INSERT",
  webhooks: "INSERT UPDATE DELETE",
  deliveries: "INSERT UPDATE DELETE",
  idempotency_keys: "INSERT UPDATE DELETE",
  usage_minutes: "INSERT UPDATE DELETE",
  usage_days: "INSERT UPDATE DELETE",
  usage_writers: "INSERT UPDATE DELETE",
  inventory: "UPDATE",
  imports: "INSERT UPDATE",
  store: "UPDATE",
  nodes: "INSERT UPDATE DELETE",
};

const NEEDED = Object.entries(WRITES).flatMap(([table, writes]) =>
  ["SELECT", ...writes.split(" ")].map((right) => `('${table}', '${right}')`),
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
