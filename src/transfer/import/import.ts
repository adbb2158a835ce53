// Imports the animals of a checked file in batches. An interrupted import continues where it stopped.

import { openForCommand } from "../../command-stores.ts";
import type { Config } from "../../config/config.ts";
import type { Category } from "../../domain/animals/category.ts";
import { systemClock } from "../../domain/basics/clock.ts";
import type { Database } from "../../storage/database.ts";
import { listAllCategories } from "../../storage/stores/animals/categories.ts";
import { readNewestNumber } from "../../storage/stores/animals/history.ts";
import { findKnownPets } from "../../storage/stores/animals/imported-pets.ts";
import {
  addBatch,
  findImport,
  type ImportBatch,
  type ImportState,
} from "../../storage/stores/animals/imports.ts";
import { findHashes, putImage } from "../../storage/stores/animals/photos.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { persist } from "../persist.ts";
import type { Progress } from "../progress.ts";
import { addBadRow, type CheckedFile, readCheckedRows } from "./check-file.ts";
import { createCategories } from "./create-categories.ts";
import { ROWS_PER_TRANSACTION, transactAndPause } from "./pace.ts";

/** In one batch: each takes several statements, and writes of the service wait. */
const PHOTOS_PER_BATCH = 48;
/** Long descriptions would else make a transaction longer than its deadline. */
const CHARACTERS_PER_BATCH = 2 ** 22;

export interface ImportOutcome extends ImportState {
  /** Whether an earlier import has done all of it. */
  wasDone: boolean;
  /** Rows that an interrupted run has done. */
  continuedAfter: number;
  /** Categories that were created. */
  categories: Category[];
  /** Photos that this run has added. */
  photos: number;
}

interface ImportOptions {
  /** The name of the file, for the audit log. */
  name: string;
  again: boolean;
  skipBad?: boolean | undefined;
  onProgress: Progress;
}

/** Reads the store for the check of a file. The store is opened by the first read. */
export function openForCheck(config: Config) {
  let opened: ReturnType<typeof openForCommand> | undefined;
  const open = async () => {
    opened ??= openForCommand(config);
    return (await opened).db;
  };
  return {
    readCategories: async (): Promise<Category[]> => listAllCategories(await open()),
    findKnown: async (externalIds: string[]) => findKnownPets(await open(), externalIds),
    close: async () => (await opened)?.close(),
  };
}

/**
 * Writes the good rows. A file that was imported before is skipped unless `again` is set. Photos that cannot be converted add
 * bad rows to `file`: then, unless `skipBad` is set, no row is written, and the result is undefined.
 */
export async function importFile(
  config: Config,
  file: CheckedFile,
  { name, again, skipBad = false, onProgress }: ImportOptions,
): Promise<ImportOutcome | undefined> {
  const { db, gate, close } = await openForCommand(config);
  try {
    const before = await findImport(db, file.checksum);
    const isFinished = before?.finishedAtMs !== undefined;
    if (before && isFinished && !again)
      return { ...before, wasDone: true, continuedAfter: 0, categories: [], photos: 0 };
    const begun = isFinished ? undefined : before;
    refuseOtherReading(begun, file);
    const startedAtMs = begun?.startedAtMs ?? systemClock.nowMs();
    const continuedAfter = begun?.rowsDone ?? 0;
    const follows = isFinished ? before?.startedAtMs : undefined;
    await convertPhotos(db, file, { from: continuedAfter, onProgress });
    if (file.badLines.size > 0 && !skipBad) return undefined;
    const categories = await persist(continuedAfter, () => createCategories(db, file.names));
    let photos = 0;
    for await (const batch of readBatches(file, { name, from: continuedAfter, startedAtMs })) {
      const written = await write(db, { ...batch, follows });
      photos += written.photos;
      await gate?.publishPetsVersion(written.version);
      onProgress(batch.to, file.rows, "rows");
    }
    const state = (await findImport(db, file.checksum)) as ImportState;
    return { ...state, wasDone: false, continuedAfter, categories, photos };
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

/** Before the first row is written, so that a damaged file is found in time. */
async function convertPhotos(
  db: Database,
  file: CheckedFile,
  { from, onProgress }: { from: number; onProgress: Progress },
): Promise<void> {
  if (file.photos === undefined || file.photoFiles === 0) return;
  let done = 0;
  file.isConverted = true;
  const bad = await file.photos.convert(readPictured(file, from), {
    store: (image) => persist(from, () => putImage(db, image, systemClock.nowMs())),
    findHashes: (externalId) => persist(from, () => findHashes(db, externalId)),
    onPhoto() {
      done += 1;
      onProgress(done, file.photoFiles, "photos converted");
    },
  });
  for (const row of bad.sort((one, other) => one.line - other.line)) addBadRow(file, row);
}

async function* readPictured(file: CheckedFile, from: number) {
  for await (const { row } of readFrom(file, from, () => changed(file.path, from)))
    if (row?.photos !== undefined && row.photos.length > 0) yield row;
}

/** The rows after the first `from`, each with its number. Bad rows are undefined. */
async function* readFrom(file: CheckedFile, from: number, explainChange: () => OperatorError) {
  let number = 0;
  for await (const rows of readCheckedRows(file, explainChange)) {
    for (const each of rows) {
      number += 1;
      const row = "pet" in each && !file.badLines.has(each.line) ? each : undefined;
      if (number > from) yield { number, row };
    }
  }
}

async function* readBatches(
  file: CheckedFile,
  { name, from, startedAtMs }: { name: string; from: number; startedAtMs: number },
): AsyncGenerator<ImportBatch> {
  const { path, checksum, reading } = file;
  const begin = (at: number): ImportBatch => {
    return { name, checksum, reading, startedAtMs, rows: [], from: at, to: at, isLast: false };
  };
  let batch = begin(from);
  let photos = 0;
  let characters = 0;
  for await (const { number, row } of readFrom(file, from, () => changed(path, batch.from))) {
    batch.to = number;
    if (row !== undefined) {
      const { line, pet, photos: names = [] } = row;
      const hashes = names.length === 0 ? [] : file.photos?.hashesOf(names);
      if (hashes === undefined) throw changed(path, batch.from);
      batch.rows.push({ line, pet, hashes });
      photos += hashes.length;
      characters += pet.profile?.description?.length ?? 0;
    }
    const isFull =
      batch.rows.length >= ROWS_PER_TRANSACTION ||
      photos >= PHOTOS_PER_BATCH ||
      characters >= CHARACTERS_PER_BATCH;
    if (!isFull || number >= file.rows) continue;
    yield batch;
    batch = begin(number);
    photos = 0;
    characters = 0;
  }
  yield { ...batch, isLast: true };
}

function changed(path: string, rowsDone: number): OperatorError {
  return new OperatorError(
    `${path} was changed during the import: ${rowsDone} rows were imported before the change was noticed.`,
  );
}

/** Resolves to the version after the batch, and to the number of its new photos. */
async function write(db: Database, batch: ImportBatch): Promise<{ version: number; photos: number }> {
  let photos = 0;
  const version = await persist(batch.from, () =>
    transactAndPause(db, async (tx) => {
      // A repetition may find that the batch was written after all.
      photos = (await addBatch(tx, batch, systemClock.nowMs())) ?? photos;
      return readNewestNumber(tx);
    }),
  );
  return { version, photos };
}
