// Files of animals and how far each was imported. A batch of animals and the note of it are kept together, or neither.

import type { Pet } from "../../domain/pet.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Queries, SqlValue, Transaction } from "../database.ts";
import { toNumber, toOptional, toOptionalNumber } from "../row.ts";
import { TABLES, valueColumnsOf } from "../tables.ts";
import { addPets } from "./pets.ts";

const COLUMNS = TABLES.imports;

export interface ImportState {
  /** How rows were understood. */
  reading: string;
  rowsDone: number;
  pets: number;
  firstId: bigint | undefined;
  lastId: bigint | undefined;
  /** Tells one import of a file from another of the same. */
  startedAtMs: number;
  finishedAtMs: number | undefined;
}

export interface ImportBatch {
  checksum: Buffer;
  reading: string;
  startedAtMs: number;
  /** The finished import of the same file that this one follows on purpose. */
  follows?: number | undefined;
  pets: Array<Omit<Pet, "id">>;
  /** How many rows of the file stand before the batch, and how many are done after it. */
  from: number;
  to: number;
  isLast: boolean;
}

/** Undefined for a file that was never imported. */
export async function findImport(db: Queries, checksum: Buffer): Promise<ImportState | undefined> {
  const row = await db.first(`SELECT ${COLUMNS} FROM imports WHERE checksum = $1`, [checksum]);
  return (
    row && {
      reading: row.reading as string,
      rowsDone: toNumber(row.rows_done),
      pets: toNumber(row.pets),
      firstId: toOptional<bigint>(row.first_id),
      lastId: toOptional<bigint>(row.last_id),
      startedAtMs: toNumber(row.started_at_ms),
      finishedAtMs: toOptionalNumber(row.finished_at_ms),
    }
  );
}

/**
 * For transactions that are done in order. May be repeated when nobody knows whether it was done: the second time
 * changes nothing. Throws an OperatorError when another command is at the same file, or has been meanwhile.
 */
export async function addBatch(tx: Transaction, batch: ImportBatch, nowMs: number): Promise<void> {
  const { checksum, reading, startedAtMs, follows, from, to, isLast } = batch;
  const state = await findImport(tx, checksum);
  const own = state?.startedAtMs === startedAtMs ? state : undefined;
  if (own?.rowsDone === to && (own.finishedAtMs !== undefined || !isLast)) return;
  const isFinished = state?.finishedAtMs !== undefined;
  if (own === undefined && isFinished && state.startedAtMs !== follows)
    throw new OperatorError(
      "Another command has imported the same file meanwhile. --again imports it once more.",
    );
  const isFree = own !== undefined || state === undefined || isFinished;
  if (!isFree || (own?.rowsDone ?? 0) !== from) {
    throw new OperatorError("Another command imports the same file. Let it end, then run this one again.");
  }
  const ids = await addPets(tx, batch.pets, { atMs: nowMs });
  const values: SqlValue[] = [
    ...[checksum, reading, to, (own?.pets ?? 0) + ids.length],
    ...[own?.firstId ?? ids[0] ?? null, ids.at(-1) ?? own?.lastId ?? null],
    ...[startedAtMs, isLast ? nowMs : null],
  ];
  await tx.run(
    `INSERT INTO imports (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (checksum) DO UPDATE SET (${valueColumnsOf("imports")}) = ($2, $3, $4, $5, $6, $7, $8)`,
    values,
  );
}
