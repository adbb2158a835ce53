// Imported files and their progress in SQL. A batch of animals and its progress are stored in one transaction.

import { OperatorError } from "../../../tools/operator-error.ts";
import type { Queries, Transaction } from "../../database.ts";
import { TABLES, toObject, upsertOf } from "../../tables.ts";
import { recordAudit } from "../keys/audit.ts";
import { type ImportedRow, putPets } from "./imported-pets.ts";

const UPSERT = upsertOf("imports");
const STATE_COLUMNS = "reading, rows_done, pets, updated, first_id, last_id, started_at_ms, finished_at_ms";

export interface ImportState {
  /** How the columns were read. */
  reading: string;
  rowsDone: number;
  /** Added animals. */
  pets: number;
  /** Known animals that were changed. */
  updated: number;
  firstId: bigint | undefined;
  lastId: bigint | undefined;
  /** Identifies one of several imports of the same file. */
  startedAtMs: number;
  finishedAtMs: number | undefined;
}

export interface ImportBatch {
  /** The name of the file, for the audit log. */
  name: string;
  checksum: Buffer;
  reading: string;
  startedAtMs: number;
  /** Start time of the finished import that is repeated. */
  follows?: number | undefined;
  rows: ImportedRow[];
  /** The number of rows of the file before the batch, and after it. */
  from: number;
  to: number;
  isLast: boolean;
}

/** Undefined for a file that was never imported. */
export async function findImport(db: Queries, checksum: Buffer): Promise<ImportState | undefined> {
  const row = await db.first(`SELECT ${TABLES.imports} FROM imports WHERE checksum = $1`, [checksum]);
  return row && toObject(row, STATE_COLUMNS);
}

/**
 * Needs an `inOrder` transaction. Resolves to the number of new photos. May be repeated when the outcome is unknown: if the first
 * call has succeeded, the second changes nothing and resolves to undefined. Throws an OperatorError if another command imports
 * the same file, or has just imported it.
 */
export async function addBatch(
  tx: Transaction,
  batch: ImportBatch,
  nowMs: number,
): Promise<number | undefined> {
  const { checksum, reading, startedAtMs, follows, from, to, isLast } = batch;
  const state = await findImport(tx, checksum);
  const own = state?.startedAtMs === startedAtMs ? state : undefined;
  if (own?.rowsDone === to && (own.finishedAtMs !== undefined || !isLast)) return undefined;
  const isFinished = state?.finishedAtMs !== undefined;
  if (own === undefined && isFinished && state.startedAtMs !== follows)
    throw new OperatorError(
      "Another command has just imported the same file. Import it once more with --again.",
    );
  const isFree = own !== undefined || state === undefined || isFinished;
  if (!isFree || (own?.rowsDone ?? 0) !== from) {
    throw new OperatorError(
      "Another command imports the same file. Wait until it ends, then run this one again.",
    );
  }
  const { ids, photos, ...changed } = await putPets(tx, batch.rows, { atMs: nowMs });
  const pets = (own?.pets ?? 0) + ids.length;
  const updated = (own?.updated ?? 0) + changed.updated;
  const firstId = own?.firstId ?? ids[0] ?? null;
  const lastId = ids.at(-1) ?? own?.lastId ?? null;
  await tx.run(UPSERT, [
    checksum,
    reading,
    to,
    pets,
    firstId,
    lastId,
    startedAtMs,
    isLast ? nowMs : null,
    updated,
  ]);
  if (!isLast) return photos;
  await recordAudit(tx, {
    action: "data.imported",
    actor: { command: "import" },
    target: { file: batch.name },
    to: {
      pets,
      ...(firstId !== null && lastId !== null && { firstId, lastId }),
      ...(updated > 0 && { updated }),
    },
    atMs: nowMs,
  });
  return photos;
}
