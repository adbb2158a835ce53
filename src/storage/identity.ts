// Decides by its tables whether a database is a store of this service, empty, or of another program.

export type Identity = "empty" | "store" | "foreign";

export interface Catalog {
  tables: string[];
  /** The columns of schema_migrations: Rails and Ecto have a table of this name, too. */
  migrationColumns: string[];
}

/** Present in every schema version of this service. */
const MIGRATION_COLUMNS = ["version", "name", "applied_at_ms"];
const STORE_TABLES = ["schema_migrations", "pets", "api_keys"];

export function identify({ tables, migrationColumns }: Catalog): Identity {
  if (tables.length === 0) return "empty";
  const hasTables = STORE_TABLES.every((table) => tables.includes(table));
  const hasColumns = MIGRATION_COLUMNS.every((column) => migrationColumns.includes(column));
  return hasTables && hasColumns ? "store" : "foreign";
}

/** Names that the catalog query joined with line feeds. */
export function toList(joined: unknown): string[] {
  return typeof joined === "string" && joined !== "" ? joined.split("\n") : [];
}
