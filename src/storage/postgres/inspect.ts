// Examines a PostgreSQL database without changing it, for `doctor`.

import { ExplainedError } from "../../tools/operator-error.ts";
import { splitServers } from "../../tools/postgres-url.ts";
import type { Database } from "../database.ts";
import { type Inspection, inspectContent, NoPrimaryError, readNewestTime } from "../inspection.ts";
import { versions } from "../migrations/0005-versions.ts";
import { search } from "../migrations/0010-search.ts";
import { readSchemaVersion } from "../migrations/migrate.ts";
import { findMissingIndex } from "../search/postgres-index.ts";
import { countNodes } from "../stores/basics/nodes.ts";
import { explainConnectionFault } from "./connection-faults.ts";
import { explainPostgresFault, READ_ONLY_ADVICE } from "./faults.ts";
import { lookAtServers } from "./server-report.ts";

/** Closes the database. Throws an ExplainedError if there is no connection, or if it belongs to another program. */
export async function inspectPostgres(db: Database, url: string): Promise<Inspection> {
  const servers = await lookAtServers(url);
  const primary = servers.findIndex(({ role }) => role === "primary");
  try {
    if (servers.length > 1 && primary < 0) throw new NoPrimaryError(servers);
    return { ...(await readState(db)), servers };
  } catch (error) {
    throw explainConnectionFault(error, splitServers(url)[Math.max(0, primary)] as string) ?? error;
  } finally {
    await db.close();
  }
}

async function readState(db: Database): Promise<Inspection> {
  const server = await db.first("SELECT version() AS version");
  const schemaVersion = await readSchemaVersion(db);
  const newestMs = await readNewestTime(db, schemaVersion);
  const writeFault = await findWriteFault(db, schemaVersion);
  // Without rights, other tables may be closed to the role as well.
  const content = writeFault === undefined ? await readContent(db, schemaVersion) : {};
  return {
    exists: true,
    engine: String(server?.version).split(" ").slice(0, 2).join(" "),
    schemaVersion,
    newestMs,
    damage: [],
    writeFault,
    ...content,
  };
}

async function readContent(db: Database, schemaVersion: number): Promise<Partial<Inspection>> {
  return {
    ...(await inspectContent(db, schemaVersion)),
    nodes: schemaVersion < versions.version ? undefined : await countNodes(db),
    searchFault: schemaVersion < search.version ? undefined : await findMissingIndex(db),
  };
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
