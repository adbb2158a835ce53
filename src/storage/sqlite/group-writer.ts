// Group commit: transactions that arrive together share one fsync, each under a SAVEPOINT of its own.

import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type SqliteConnection from "better-sqlite3";
import { ServiceError } from "../../domain/errors.ts";
import type { Transaction } from "../database.ts";
import { asServiceError, isBusy } from "./faults.ts";
import { createStatements } from "./statements.ts";

export type GroupObserver = (size: number) => void;

export interface GroupWriter {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  drained(): Promise<void>;
  /** What the newest group failed with; undefined when it was committed. */
  lastFault(): unknown;
}

interface Job {
  queuedMs: number;
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** One fsync for 64 inserts costs little more than for one; larger groups only make the first wait. */
const GROUP_MAX = 64;
/** More than this many waiting writes are turned away at once rather than answered late. */
const QUEUE_MAX = 4096;
/** How long another process, such as an operator's command, may hold the file. */
const BUSY_WAIT_MS = 2_000;
const BUSY_PAUSE_MS = 5;

export function createGroupWriter(
  connection: SqliteConnection.Database,
  onCommit: GroupObserver = () => {},
): GroupWriter {
  const statements = createStatements(connection);
  const tx: Transaction = {
    all: async (sql, values) => statements.all(sql, values),
    first: async (sql, values) => statements.first(sql, values),
    lock: async (sql, values) => statements.first(sql, values),
    run: async (sql, values) => statements.run(sql, values),
  };
  const savepoint = connection.prepare("SAVEPOINT job");
  const release = connection.prepare("RELEASE job");
  let queue: Job[] = [];
  let draining: Promise<void> | undefined;
  let lastFault: unknown;

  async function drain(): Promise<void> {
    // One turn of the event loop lets the writes that are already in the sockets join the group.
    for (await nextTurn(); queue.length > 0; await nextTurn()) {
      const group = queue.slice(0, GROUP_MAX);
      queue = queue.slice(GROUP_MAX);
      await commitGroup(group);
    }
    draining = undefined;
  }

  async function commitGroup(group: Job[]): Promise<void> {
    const answers: Array<() => void> = [];
    try {
      // Measured from the oldest job: who has waited in the queue does not wait as long again.
      await begin((group[0]?.queuedMs ?? 0) + BUSY_WAIT_MS);
      for (const job of group) answers.push(await attempt(job));
      statements.run("COMMIT");
    } catch (error) {
      lastFault = asServiceError(error);
      for (const job of group) job.reject(lastFault);
      endTransaction();
      return;
    }
    lastFault = undefined;
    onCommit(group.length);
    for (const answer of answers) answer();
  }

  /** Gives back how to answer once the group is durable; throws when the whole group is lost. */
  async function attempt(job: Job): Promise<() => void> {
    savepoint.run();
    try {
      const value = await job.work(tx);
      release.run();
      return () => job.resolve(value);
    } catch (error) {
      // A full disk or a failing one makes SQLite roll back everything: then nobody's work is kept.
      if (!connection.inTransaction) throw error;
      statements.run("ROLLBACK TO job");
      statements.run("RELEASE job");
      return () => job.reject(error);
    }
  }

  function endTransaction(): void {
    try {
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      // A disk that fails even this leaves the transaction open: the next group tries again before it begins.
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
      new Promise<T>((resolve, reject) => {
        if (queue.length >= QUEUE_MAX) {
          reject(new ServiceError("unavailable", { retryAfterSeconds: 1 }));
          return;
        }
        queue.push({ queuedMs: performance.now(), work, resolve: resolve as Job["resolve"], reject });
        draining ??= drain();
      }),
    drained: async () => draining,
    lastFault: () => lastFault,
  };
}
