// Writes many rows during normal service: short transactions, with pauses in which writes of the service go first.

import { setTimeout as pause } from "node:timers/promises";
import type { Database, Transaction } from "../../storage/database.ts";

/** Takes about 20 ms. Writes of the service wait at most 2 s for a transaction. */
export const ROWS_PER_TRANSACTION = 250;
/** The service's SQLite writer retries every 5 ms. PostgreSQL needs no pause: it serves waiting transactions first. */
const SQLITE_GAP_MS = 8;

/** Runs work on one batch of rows, in order with all other changes of animals, and pauses afterwards. */
export async function transactAndPause<T>(
  db: Database,
  work: (tx: Transaction) => Promise<T>,
  gapMs = SQLITE_GAP_MS,
): Promise<T> {
  const value = await db.transaction(work, { inOrder: true });
  if (db.engine === "sqlite") await pause(gapMs);
  return value;
}
