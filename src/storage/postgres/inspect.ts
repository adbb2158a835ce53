// Examines a PostgreSQL database without changing it, for `doctor`.

import { ExplainedError } from "../../tools/operator-error.ts";
import type { Database } from "../database.ts";
import type { Inspection } from "../inspection.ts";
import { readSchemaVersion } from "../migrations/migrate.ts";
import { explainPostgresFault, READ_ONLY_ADVICE } from "./faults.ts";

/** Closes the database. Throws an OperatorError if it belongs to another program. */
export async function inspectPostgres(db: Database): Promise<Inspection> {
  try {
    const server = await db.first("SELECT version() AS version");
    const schemaVersion = await readSchemaVersion(db);
    const newest = "SELECT coalesce(max(created_at_ms), 0) AS newest FROM api_keys";
    return {
      exists: true,
      engine: String(server?.version).split(" ").slice(0, 2).join(" "),
      schemaVersion,
      newestMs: schemaVersion === 0 ? 0 : Number((await db.first(newest))?.newest),
      damage: [],
      writeFault: await findWriteFault(db, schemaVersion),
    };
  } finally {
    await db.close();
  }
}

/** An empty database has no table to write to, so the right to create tables is checked. */
async function findWriteFault(db: Database, schemaVersion: number): Promise<ExplainedError | undefined> {
  try {
    if (schemaVersion > 0) await db.testWrite();
    else await requireCreateRight(db);
    return undefined;
  } catch (error) {
    if (error instanceof ExplainedError) return error;
    return (
      explainPostgresFault(error) ??
      new ExplainedError((error as Error).message, "See the log of PostgreSQL.")
    );
  }
}

async function requireCreateRight(db: Database): Promise<void> {
  const row = await db.first(
    `SELECT current_setting('transaction_read_only') AS read_only,
       has_schema_privilege(current_schema(), 'CREATE')::text AS can_create`,
  );
  if (row?.read_only === "on") throw new ExplainedError("PostgreSQL takes no writes", READ_ONLY_ADVICE);
  if (row?.can_create === "true") return;
  throw new ExplainedError(
    "This role may not create tables in the schema",
    "Use the role that owns the database, or let it grant: GRANT USAGE, CREATE ON SCHEMA public TO ROLE.",
  );
}
