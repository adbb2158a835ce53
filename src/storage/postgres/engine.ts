// PostgreSQL as a Database: a deadline for every wait, and only what works behind PgBouncer in transaction mode.

import type { Database } from "../database.ts";
import { openConnections, type PostgresOptions } from "./connections.ts";
import { unavailable } from "./faults.ts";
import { createLineage } from "./lineage.ts";
import { createNamedQueries } from "./named-queries.ts";
import { createReads, readSnapshot } from "./reads.ts";
import { createWrites } from "./writes.ts";

const DEFAULTS = {
  /** A request does two reads or transactions: key look-up and work. */
  deadlineMs: 1_450,
  onCommit: () => {},
  onIdleError: () => {},
  onServerChange: () => {},
};

export function openPostgres(
  url: string,
  options: Partial<PostgresOptions> & Pick<PostgresOptions, "poolSize">,
): Database {
  const settings = { ...DEFAULTS, ...options };
  const connections = openConnections(url, settings);
  const reads = createReads(connections, settings.deadlineMs);
  const { drained, ...writes } = createWrites(connections, settings);
  return {
    ...reads,
    named: createNamedQueries(reads),
    ...writes,
    lineage: createLineage(connections.examineServers),
    servers: connections.servers,
    snapshot: (work) => readSnapshot(connections, work),
    async ping() {
      const row = await reads.first("SHOW transaction_read_only");
      // For example after a failover to a server that is still a replica.
      if (row?.transaction_read_only !== "off") throw unavailable();
    },
    async close() {
      await drained();
      await connections.close();
    },
  };
}
