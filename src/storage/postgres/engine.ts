// PostgreSQL as a Database: a deadline for every wait, and only what works behind PgBouncer in transaction mode.

import type { Database } from "../database.ts";
import type { GroupObserver } from "../group-queue.ts";
import { openConnections } from "./connections.ts";
import { unavailable } from "./faults.ts";
import { createReads, readSnapshot } from "./reads.ts";
import { createWrites } from "./writes.ts";

/** Limits a read or transaction, including the wait for a connection. A request does two: key look-up and work. */
const DEADLINE_MS = 1_450;

export interface PostgresOptions {
  poolSize: number;
  deadlineMs?: number;
  /** Called with the size of each group of writes that shared a commit. */
  onCommit?: GroupObserver;
  /** Called when an idle connection breaks. */
  onIdleError?: (error: Error) => void;
}

export function openPostgres(url: string, options: PostgresOptions): Database {
  const { poolSize, deadlineMs = DEADLINE_MS, onCommit = () => {}, onIdleError = () => {} } = options;
  const connections = openConnections(url, { poolSize, readMs: deadlineMs, onIdleError });
  const reads = createReads(connections, deadlineMs);
  const { drained, ...writes } = createWrites(connections, { poolSize, deadlineMs, onCommit });
  return {
    ...reads,
    ...writes,
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
