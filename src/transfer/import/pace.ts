// Writes many rows during normal service: short transactions, with pauses in which writes of the service go first.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "../../storage/database.ts";

/** The target duration of a transaction. Writes of the service wait at most 2 s for one. */
const WORK_MS = 20;
/** The service's SQLite writer retries every 5 ms. PostgreSQL needs no pause: it serves waiting transactions first. */
const SQLITE_GAP_MS = 8;
/** With 500, an import takes a twentieth longer: each commit writes the pages of the indexes again. */
const ROWS_MIN = 1_000;
const ROWS_MAX = 2_000;

export interface Pace {
  /** The number of rows for the next transaction. */
  rows(): number;
  /** Runs work on that many rows, in order with all other changes of animals. */
  transact<T>(rows: number, work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export function createPace(db: Database): Pace {
  let rowsWanted = ROWS_MIN;
  let rested: Promise<void> | undefined;
  return {
    rows: () => rowsWanted,
    async transact(rows, work) {
      await rested;
      let workMs = 0;
      const timed = async (tx: Transaction) => {
        const beganMs = performance.now();
        const value = await work(tx);
        // Without the wait for the lock and the commit, which hardly depend on the number of rows.
        workMs = performance.now() - beganMs;
        return value;
      };
      const value = await db.transaction(timed, { inOrder: true });
      const fitting = (rows * WORK_MS) / Math.max(1, workMs);
      // At most half or double, because one measurement may be an outlier.
      const bounded = Math.min(rowsWanted * 2, Math.max(rowsWanted / 2, fitting));
      rowsWanted = Math.round(Math.min(ROWS_MAX, Math.max(ROWS_MIN, bounded)));
      // Not awaited here: the caller reads the next rows meanwhile.
      rested = db.engine === "sqlite" ? pause(SQLITE_GAP_MS) : undefined;
      return value;
    },
  };
}
