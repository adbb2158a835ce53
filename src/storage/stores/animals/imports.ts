// Imported files and their progress in SQL. A batch of animals and its progress are stored in one transaction.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import type { Queries, Transaction } from "../../database.ts";
import { TABLES, toObject, upsertOf } from "../../tables.ts";
import { recordAudit } from "../keys/audit.ts";
import { type ImportedRow, putPets } from "./imported-pets.ts";

const UPSERT = upsertOf("imports");
const RETRY_AFTER_SECONDS = 10;
const STATE_COLUMNS =
  "reading, rows_done, pets, updated, first_id, last_id, started_at_ms, finished_at_ms, imported";

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
  /** The compressed set of rows that have become animals. Undefined for imports of earlier releases. */
  imported: Buffer | undefined;
}

export interface ImportBatch {
  /** The name of the file, for the audit log. An upload has none. */
  name?: string | undefined;
  /** SHA-256 of the file, or for a key of a shelter, of the shelter and the file. */
  checksum: Buffer;
  reading: string;
  startedAtMs: number;
  /** The earlier import of the file, as it was when this one began. */
  follows?: Pick<ImportState, "startedAtMs" | "rowsDone"> | undefined;
  rows: ImportedRow[];
  /** The number of rows of the file before the batch, and after it. */
  from: number;
  to: number;
  isLast: boolean;
  /** After the batch, as in the state. */
  imported: Buffer;
  /** The key of the import; without one, it is the command's. */
  origin: ChangeOrigin;
}

/** The numbers of animals and photos. */
export interface WrittenBatch {
  added: number;
  updated: number;
  photos: number;
}

/** Undefined for a file that was never imported. */
export async function findImport(db: Queries, checksum: Buffer): Promise<ImportState | undefined> {
  const row = await db.first(`SELECT ${TABLES.imports} FROM imports WHERE checksum = $1`, [checksum]);
  return row && toObject(row, STATE_COLUMNS);
}

/**
 * Needs an `inOrder` transaction. May be repeated when the outcome is unknown: if the first
 * call has succeeded, the second changes nothing and resolves to undefined. Throws `unavailable` if the same file is being
 * imported, or was imported since this import began.
 */
export async function addBatch(tx: Transaction, batch: ImportBatch): Promise<WrittenBatch | undefined> {
  const { checksum, reading, startedAtMs, follows, from, to, isLast, origin } = batch;
  const nowMs = origin.atMs;
  const state = await findImport(tx, checksum);
  const own = state?.startedAtMs === startedAtMs ? state : undefined;
  if (own?.rowsDone === to && (own.finishedAtMs !== undefined || !isLast)) return undefined;
  const isNext =
    own !== undefined ||
    (follows?.startedAtMs === state?.startedAtMs && follows?.rowsDone === state?.rowsDone);
  if (!isNext && state?.finishedAtMs !== undefined)
    throw busy("The same file was imported at the same time. Send it again to see the result.");
  if (!isNext || (own?.rowsDone ?? 0) !== from)
    throw busy("The same file is being imported. Wait until that import ends, then send it again.");
  const { ids, photos, ...changed } = await putPets(tx, batch.rows, origin);
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
    batch.imported,
  ]);
  const written = { added: ids.length, updated: changed.updated, photos };
  if (!isLast) return written;
  await recordAudit(tx, {
    action: "data.imported",
    actor: origin.keyId === undefined ? { command: "import" } : { keyId: origin.keyId },
    target: batch.name === undefined ? undefined : { file: batch.name },
    to: {
      pets,
      ...(firstId !== null && lastId !== null && { firstId, lastId }),
      ...(updated > 0 && { updated }),
    },
    atMs: nowMs,
  });
  return written;
}

function busy(message: string): ServiceError {
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
