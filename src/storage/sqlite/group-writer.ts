// Commits groups of transactions with one fsync, each transaction in its own SAVEPOINT unless it is alone.

import { setTimeout as pause } from "node:timers/promises";
import type SqliteConnection from "better-sqlite3";
import type { Transaction } from "../database.ts";
import { createGroupQueue, type GroupObserver } from "../group-queue.ts";
import { asServiceError, isBusy } from "./faults.ts";

export interface GroupWriter {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  drained(): Promise<void>;
  /** The error of the newest group; undefined if it was committed. */
  lastFault(): unknown;
}

interface Job {
  queuedMs: number;
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** One fsync for 64 inserts takes little longer than for one; larger groups only delay the first transaction. */
const GROUP_MAX = 64;
/** How long another process, for example an operator's command, may lock the file. */
const BUSY_WAIT_MS = 2_000;
const BUSY_PAUSE_MS = 5;

/** `tx` are the queries on the connection that every transaction uses. */
export function createGroupWriter(
  connection: SqliteConnection.Database,
  tx: Transaction,
  onCommit: GroupObserver = () => {},
): GroupWriter {
  const savepoint = connection.prepare("SAVEPOINT job");
  const release = connection.prepare("RELEASE job");
  const commit = connection.prepare("COMMIT");
  let lastFault: unknown;
  const queue = createGroupQueue(GROUP_MAX, commitGroup);

  async function commitGroup(group: Job[]): Promise<void> {
    const replies: Array<() => void> = [];
    try {
      // Measured from the oldest job, so that time in the queue counts.
      await begin((group[0]?.queuedMs ?? 0) + BUSY_WAIT_MS);
      const isAlone = group.length === 1;
      for (const job of group) replies.push(await attempt(job, isAlone));
      commit.run();
    } catch (error) {
      lastFault = asServiceError(error);
      for (const job of group) job.reject(lastFault);
      endTransaction();
      return;
    }
    lastFault = undefined;
    onCommit(group.length);
    for (const reply of replies) reply();
  }

  /** Resolves to the reply to send when the group is durable; throws if the whole group is lost. */
  async function attempt(job: Job, isAlone: boolean): Promise<() => void> {
    // With a SAVEPOINT, SQLite copies every page before it changes it: an import would write most of them to a temporary file.
    if (!isAlone) savepoint.run();
    try {
      const value = await job.work(tx);
      if (!isAlone) release.run();
      return () => job.resolve(value);
    } catch (error) {
      // On a full or failing disk, SQLite rolls back the whole transaction.
      if (!connection.inTransaction) throw error;
      // Alone: what is committed then is empty, and a plain BEGIN never waits for another process.
      connection.exec(isAlone ? "ROLLBACK; BEGIN" : "ROLLBACK TO job; RELEASE job");
      return () => job.reject(error);
    }
  }

  function endTransaction(): void {
    try {
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      // The transaction stays open on a failing disk; the next group rolls back before it begins.
    }
  }

  async function begin(deadlineMs: number): Promise<void> {
    endTransaction();
    for (;;) {
      try {
        connection.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) throw error;
        await pause(BUSY_PAUSE_MS);
      }
    }
  }

  return {
    transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
      new Promise<T>((resolve, reject) =>
        queue.add({ queuedMs: performance.now(), work, resolve: resolve as Job["resolve"], reject }),
      ),
    drained: queue.drained,
    lastFault: () => lastFault,
  };
}
