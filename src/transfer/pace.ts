// Many rows beside a running service: in transactions that are short, with gaps in which its writes go first.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "../storage/database.ts";

/** Others wait for a transaction at most 2 s; this is far from it, and worth a commit. */
const WORK_MS = 20;
/** The writer of the service looks every 5 ms whether the file is free. PostgreSQL lets those who wait go first. */
const GAP_MS = { sqlite: 8, postgres: 0 };
const ROWS_MIN = 200;
const ROWS_MAX = 2_000;
const ROWS_FIRST = 250;

export interface Pace {
  /** How many rows the next transaction should take. */
  rows(): number;
  /** For work on that many rows; done in order with all other changes of animals. */
  transact<T>(rows: number, work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export function createPace(db: Database): Pace {
  let rowsWanted = ROWS_FIRST;
  return {
    rows: () => rowsWanted,
    async transact(rows, work) {
      let workMs = 0;
      const timed = async (tx: Transaction) => {
        const beganMs = performance.now();
        const value = await work(tx);
        // Neither the wait before it nor the commit after it depends much on the size.
        workMs = performance.now() - beganMs;
        return value;
      };
      const value = await db.transaction(timed, { inOrder: true });
      const fitting = (rows * WORK_MS) / Math.max(1, workMs);
      // By halves and doubles at most: one slow moment is no measure.
      const bounded = Math.min(rowsWanted * 2, Math.max(rowsWanted / 2, fitting));
      rowsWanted = Math.round(Math.min(ROWS_MAX, Math.max(ROWS_MIN, bounded)));
      await pause(GAP_MS[db.engine]);
      return value;
    },
  };
}
