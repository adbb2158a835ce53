// Transactions on PostgreSQL: in groups under the lock of order, or alone; and whether the server accepts writes.

import { performance } from "node:perf_hooks";
import { createSemaphore } from "../../tools/fair-queue.ts";
import type { Database, Transaction, Work } from "../database.ts";
import type { GroupQueue } from "../group-queue.ts";
import type { Connections, PostgresOptions } from "./connections.ts";
import { asServiceError, isRepeatable, isUnavailable, unavailable } from "./faults.ts";
import { createGroupWriter } from "./group-writer.ts";
import { requireRights } from "./rights.ts";
import { READ_COMMITTED, runTransaction, timeoutsOf } from "./transactions.ts";

/** Waiting writes hold a connection each, so some of the pool are reserved for reads. */
const WRITERS_SHARE = 0.7;

/** Nodes that test at the same time do not wait for each other. */
const TEST_WRITE = `UPDATE schema_migrations SET applied_at_ms = applied_at_ms
  WHERE version IN (SELECT version FROM schema_migrations WHERE version = 1 FOR UPDATE SKIP LOCKED)`;
/** Many nodes may start at the same time. */
const TEST_DEADLINE_MS = 5_000;

type Writes = Pick<Database, "transaction" | "canWrite" | "testWrite"> & Pick<GroupQueue, "drained">;

/** Ends a test write. */
class RollBack extends Error {}

export function createWrites(
  connections: Connections,
  { poolSize, deadlineMs, onCommit }: PostgresOptions,
): Writes {
  let canWrite = true;
  const onFault = (error: unknown) => {
    if (isUnavailable(error)) canWrite = false;
  };
  const groups = createGroupWriter(connections, {
    deadlineMs,
    onFault,
    onCommit(size) {
      canWrite = true;
      onCommit(size);
    },
  });
  const runWriter = createSemaphore(Math.max(1, Math.ceil(poolSize * WRITERS_SHARE)), unavailable);

  async function transactAlone<T>(work: Work<T>, withinMs: number): Promise<T> {
    const endMs = performance.now() + withinMs;
    try {
      const value = await runWriter(endMs, () => runRepeatable(connections, work, { withinMs, endMs }));
      canWrite = true;
      return value;
    } catch (error) {
      if (error instanceof RollBack) canWrite = true;
      else onFault(error);
      throw asServiceError(error);
    }
  }

  const transaction: Database["transaction"] = (work, options = {}) => {
    const { inOrder = false, claim, deadlineMs: withinMs = deadlineMs } = options;
    return inOrder || claim !== undefined ? groups.write(work, claim) : transactAlone(work, withinMs);
  };

  return {
    transaction,
    canWrite: () => canWrite,
    testWrite: () => testWrite(transaction, Math.max(deadlineMs, TEST_DEADLINE_MS)),
    drained: groups.drained,
  };
}

/** A transaction that the server rolled back because of a conflict with another is repeated once, before the deadline. */
async function runRepeatable<T>(
  connections: Connections,
  work: Work<T>,
  { withinMs, endMs }: { withinMs: number; endMs: number },
): Promise<T> {
  const begin = [READ_COMMITTED, ...timeoutsOf(withinMs, withinMs * 2)];
  const attempt = () =>
    connections.lend(endMs, (connection) => runTransaction(connection, work, { begin, endMs }));
  return attempt().catch((error) => {
    if (!isRepeatable(error) || performance.now() > endMs) throw error;
    return attempt();
  });
}

/** A write that is rolled back; on the other tables, only the rights are checked. */
async function testWrite(transaction: Database["transaction"], deadlineMs: number): Promise<void> {
  const work = async (tx: Transaction) => {
    await tx.run(TEST_WRITE);
    await requireRights(tx);
    throw new RollBack();
  };
  await transaction(work, { deadlineMs }).catch((error) => {
    if (!(error instanceof RollBack)) throw error;
  });
}
