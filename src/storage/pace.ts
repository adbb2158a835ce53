// Many rows beside a running service: in transactions that are short, with gaps in which its writes go first.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "./database.ts";

/** Others wait for a transaction at most 2 s; this is far from it, and makes a commit worth its fsync. */
const TRANSACTION_MS = 25;
/** The writer of the service looks every 5 ms whether the file is free. PostgreSQL lets those who wait go first. */
const GAP_MS = { sqlite: 8, postgres: 0 };
const ROWS_MIN = 50;
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
      let beganMs = 0;
      const value = await db.transaction(
        async (tx) => {
          // Measured from here: waiting for others says nothing about the size.
          beganMs = performance.now();
          return work(tx);
        },
        { inOrder: true },
      );
      const fitting = (rows * TRANSACTION_MS) / Math.max(1, performance.now() - beganMs);
      // By halves and doubles at most: one slow fsync is no measure.
      const bounded = Math.min(rowsWanted * 2, Math.max(rowsWanted / 2, fitting));
      rowsWanted = Math.round(Math.min(ROWS_MAX, Math.max(ROWS_MIN, bounded)));
      await pause(GAP_MS[db.engine]);
      return value;
    },
  };
}
