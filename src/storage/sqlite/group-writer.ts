// Commits groups of transactions with one fsync, each transaction in its own SAVEPOINT unless it is alone.

import { setTimeout as pause } from "node:timers/promises";
import type SqliteConnection from "better-sqlite3";
import type { Transaction } from "../database.ts";
import { createGroupQueue, type GroupObserver, type GroupQueue, type QueuedWrite } from "../group-queue.ts";
import { asServiceError, isBusy } from "./faults.ts";
import type { AddedWork } from "./queries.ts";

export interface GroupWriter extends GroupQueue {
  /** The error of the newest group; undefined if it was committed. */
  lastFault(): unknown;
}

/** One fsync for 64 inserts takes little longer than for one; larger groups only delay the first transaction. */
const GROUP_MAX = 64;
/** How long another process, for example an operator's command, may lock the file. */
const BUSY_WAIT_MS = 2_000;
const BUSY_PAUSE_MS = 5;

interface GroupOptions {
  /** Filled by `tx`. */
  commitWorks?: AddedWork[];
  onCommit?: GroupObserver | undefined;
}

/** `tx` are the queries on the connection that every transaction uses. */
export function createGroupWriter(
  connection: SqliteConnection.Database,
  tx: Transaction,
  { commitWorks = [], onCommit = () => {} }: GroupOptions = {},
): GroupWriter {
  const attempt = createAttempt(connection, tx, commitWorks);
  const commit = connection.prepare("COMMIT");
  let lastFault: unknown;

  async function commitGroup(group: QueuedWrite[]): Promise<void> {
    const replies: Array<() => void> = [];
    commitWorks.length = 0;
    try {
      // Measured from the oldest write, so that time in the queue counts.
      await begin(connection, (group[0]?.queuedMs ?? 0) + BUSY_WAIT_MS);
      for (const write of group) replies.push(await attempt(write, group.length === 1));
      for (const [work, added] of Map.groupBy(commitWorks, ({ work }) => work))
        await work(
          tx,
          added.flatMap(({ ids }) => ids),
        );
      commit.run();
    } catch (error) {
      lastFault = asServiceError(error);
      for (const { reject } of group) reject(lastFault);
      rollBack(connection);
      return;
    }
    lastFault = undefined;
    onCommit(group.length);
    for (const reply of replies) reply();
  }

  return { ...createGroupQueue(GROUP_MAX, commitGroup), lastFault: () => lastFault };
}

/** The attempt resolves to the reply to send when the group is durable; it throws if the whole group is lost. */
function createAttempt(connection: SqliteConnection.Database, tx: Transaction, commitWorks: AddedWork[]) {
  const savepoint = connection.prepare("SAVEPOINT write");
  const release = connection.prepare("RELEASE write");

  return async ({ work, resolve, reject }: QueuedWrite, isAlone: boolean): Promise<() => void> => {
    const worksBefore = commitWorks.length;
    // With a SAVEPOINT, SQLite copies every page before it changes it: an import would write most of them to a temporary file.
    if (!isAlone) savepoint.run();
    try {
      const value = await work(tx);
      if (!isAlone) release.run();
      return () => resolve(value);
    } catch (error) {
      // On a full or failing disk, SQLite rolls back the whole transaction.
      if (!connection.inTransaction) throw error;
      commitWorks.length = worksBefore;
      // A write alone then commits an empty transaction, and a plain BEGIN never waits for another process.
      connection.exec(isAlone ? "ROLLBACK; BEGIN" : "ROLLBACK TO write; RELEASE write");
      return () => reject(error);
    }
  };
}

/** Waits for another process that writes. */
async function begin(connection: SqliteConnection.Database, deadlineMs: number): Promise<void> {
  rollBack(connection);
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

function rollBack(connection: SqliteConnection.Database): void {
  try {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  } catch {
    // The transaction stays open on a failing disk; the next group rolls back before it begins.
  }
}
