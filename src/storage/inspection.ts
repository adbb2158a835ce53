// Findings of `doctor` about a database, and how they are read where both engines do the same.

import { ExplainedError } from "../tools/operator-error.ts";
import type { Queries } from "./database.ts";
import { type DatabaseServer, describeServers } from "./database-servers.ts";
import { versions } from "./migrations/0005-versions.ts";
import { webhooks } from "./migrations/0008-webhooks.ts";
import { readStoreId } from "./stores/basics/versions.ts";
import { ACTIVE_ADMIN_KEY } from "./stores/keys/key-rows.ts";
import { inspectWebhooks, type WebhookInspection } from "./stores/webhooks/webhook-rows.ts";

export interface ExposedFile {
  file: string;
  /** In the notation of `chmod`. */
  mode: string;
}

export interface Inspection {
  exists: boolean;
  engine: string;
  schemaVersion: number;
  /** The newest time stored in the data. */
  newestMs: number;
  /** Undefined on engines that any number of nodes may serve. */
  isServed?: boolean;
  /** Findings of the integrity check; empty if the database is sound or was not checked. */
  damage: string[];
  /** How to replace a damaged store. */
  repair?: string;
  /** Why a test write failed; undefined if it succeeded. It is rolled back. */
  writeFault?: ExplainedError | undefined;
  /** Files of a SQLite store that other users may use. */
  exposed?: ExposedFile[];
  /** As in the response of `/readyz`; undefined for an older schema. */
  storeId?: string | undefined;
  /** Whether a stored admin key is active; undefined if there are no tables, or they may not be read. */
  hasAdminKey?: boolean | undefined;
  /** The nodes that use Redis and serve the database now; undefined on SQLite and for an older schema. */
  nodes?: number | undefined;
  /** Why searches have no index; undefined if they have one, and for an older schema. */
  searchFault?: ExplainedError | undefined;
  /** The servers of the database, each with its role; undefined on SQLite. */
  servers?: DatabaseServer[];
  /** Undefined if there are no such tables, or they may not be read. */
  webhooks?: WebhookInspection | undefined;
}

/** No server of DATABASE_URL takes writes. */
export class NoPrimaryError extends ExplainedError {
  readonly servers: DatabaseServer[];

  constructor(servers: DatabaseServer[]) {
    super(
      `No server takes writes: ${describeServers(servers)}`,
      "Start the primary, or promote the standby that has the newest changes: SELECT pg_promote()",
    );
    this.servers = servers;
  }
}

const NEWEST = `SELECT max(at_ms) AS newest FROM
  (SELECT applied_at_ms AS at_ms FROM schema_migrations UNION ALL SELECT created_at_ms FROM api_keys) AS times`;

/** 0 for an empty database. */
export async function readNewestTime(queries: Queries, schemaVersion: number): Promise<number> {
  return schemaVersion === 0 ? 0 : Number((await queries.first(NEWEST))?.newest);
}

/** Only what this schema has. */
export async function inspectContent(
  queries: Queries,
  schemaVersion: number,
): Promise<Pick<Inspection, "hasAdminKey" | "storeId" | "webhooks">> {
  if (schemaVersion === 0) return {};
  return {
    hasAdminKey: (await queries.first(ACTIVE_ADMIN_KEY, [Date.now()])) !== undefined,
    storeId: schemaVersion < versions.version ? undefined : await readStoreId(queries),
    webhooks: schemaVersion < webhooks.version ? undefined : await inspectWebhooks(queries),
  };
}
