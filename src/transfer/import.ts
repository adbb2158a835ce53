// Imports the animals of a checked file in batches. An interrupted import continues where it stopped.

import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { openForCommand } from "../command-stores.ts";
import type { Config } from "../config.ts";
import type { Category } from "../domain/category.ts";
import { systemClock } from "../domain/clock.ts";
import { ServiceError } from "../domain/errors.ts";
import { listAllCategories } from "../storage/stores/categories.ts";
import { readNewestNumber } from "../storage/stores/history.ts";
import { findKnownPets } from "../storage/stores/imported-pets.ts";
import { addBatch, findImport, type ImportBatch, type ImportState } from "../storage/stores/imports.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { type CheckedFile, readPortions } from "./check-file.ts";
import { createCategories } from "./create-categories.ts";
import { createFileRows } from "./files/file-rows.ts";
import { createPace, type Pace } from "./pace.ts";
import type { Progress } from "./progress.ts";
import { readRowRules } from "./row-rules.ts";

/** How long an unavailable database is retried. */
const RETRIES_MS = 30_000;
const RETRY_MS = 250;

export interface ImportOutcome extends ImportState {
  /** Whether an earlier import has done all of it. */
  wasDone: boolean;
  /** Rows that an interrupted run has done. */
  continuedAfter: number;
  /** Categories that were created. */
  categories: Category[];
}

/** What the check of a file reads from the store, which is opened when it is needed first. */
export function openForCheck(config: Config) {
  let opened: ReturnType<typeof openForCommand> | undefined;
  const open = async () => {
    opened ??= openForCommand(config, { create: false });
    return (await opened).db;
  };
  return {
    readCategories: async (): Promise<Category[]> => listAllCategories(await open()),
    findKnown: async (externalIds: string[]) => findKnownPets(await open(), externalIds),
    close: async () => (await opened)?.close(),
  };
}

/** Writes the good rows; `name` is that of the file, for the audit log. A file that was imported before is skipped unless `again` is set. */
export async function importFile(
  config: Config,
  file: CheckedFile,
  { name, again, onProgress }: { name: string; again: boolean; onProgress: Progress },
): Promise<ImportOutcome> {
  const { db, gate, close } = await openForCommand(config, { create: false });
  try {
    const before = await findImport(db, file.checksum);
    const isFinished = before?.finishedAtMs !== undefined;
    if (before && isFinished && !again)
      return { ...before, wasDone: true, continuedAfter: 0, categories: [] };
    const begun = isFinished ? undefined : before;
    refuseOtherReading(begun, file);
    const pace = createPace(db);
    const startedAtMs = begun?.startedAtMs ?? systemClock.nowMs();
    const continuedAfter = begun?.rowsDone ?? 0;
    const follows = isFinished ? before?.startedAtMs : undefined;
    const categories = await persist(continuedAfter, () => createCategories(db, file.names));
    for await (const batch of readBatches(file, { name, from: continuedAfter, startedAtMs, pace })) {
      const version = await write(pace, { ...batch, follows });
      await gate?.publishPetsVersion(version);
      onProgress(batch.to, file.rows, "rows");
    }
    const state = (await findImport(db, file.checksum)) as ImportState;
    return { ...state, wasDone: false, continuedAfter, categories };
  } finally {
    await close();
  }
}

/** Other columns would make different animals from the remaining rows. */
function refuseOtherReading(begun: ImportState | undefined, { reading }: CheckedFile): void {
  if (begun === undefined || begun.reading === reading) return;
  throw new OperatorError(
    `An import of this file was interrupted after ${begun.rowsDone} rows. It read them as ${begun.reading}; run it again with the same options to complete it.`,
  );
}

async function* readBatches(
  file: CheckedFile,
  { name, from, startedAtMs, pace }: { name: string; from: number; startedAtMs: number; pace: Pace },
): AsyncGenerator<ImportBatch> {
  const { path, options, names, checksum, reading } = file;
  const refused = file.known.refused();
  const hash = createHash("sha256");
  const begin = (at: number): ImportBatch => {
    return { name, checksum, reading, startedAtMs, rows: [], from: at, to: at, isLast: false };
  };
  let batch = begin(from);
  let row = 0;
  const reader = createFileRows(options, await readRowRules());
  for await (const { bytes, rows } of readPortions(path, reader, names)) {
    hash.update(bytes);
    for (const each of rows) {
      row += 1;
      if (row <= from) continue;
      batch.to = row;
      if ("pet" in each && !refused.has(each.line)) batch.rows.push(each);
      if (batch.rows.length < pace.rows() || row >= file.rows) continue;
      yield batch;
      batch = begin(row);
    }
  }
  if (!hash.digest().equals(checksum)) {
    throw new OperatorError(
      `${path} was changed during the import: ${batch.from} rows were imported before the change was noticed.`,
    );
  }
  yield { ...batch, isLast: true };
}

/** Resolves to the version after the batch. */
function write(pace: Pace, batch: ImportBatch): Promise<number> {
  return persist(batch.from, () =>
    pace.transact(batch.to - batch.from, async (tx) => {
      await addBatch(tx, batch, systemClock.nowMs());
      return readNewestNumber(tx);
    }),
  );
}

/** Repeats a transaction whose outcome is unknown; nothing is added twice. */
async function persist<T>(rowsDone: number, work: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + RETRIES_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "unavailable") throw error;
      if (performance.now() > endMs) throw interrupted(error, rowsDone);
      await pause(RETRY_MS);
    }
  }
}

function interrupted({ cause, message }: ServiceError, rowsDone: number): OperatorError {
  const reason = cause instanceof Error ? cause.message : message;
  return new OperatorError(
    `The database cannot be used: ${reason}. ${rowsDone} rows are done; run the same command again to continue there.`,
  );
}
