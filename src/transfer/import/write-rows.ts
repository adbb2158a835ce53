// Writes the good rows of a checked file in batches, each with its progress in one transaction.

import type { ChangeOrigin } from "../../domain/animals/history.ts";
import type { Database } from "../../storage/database.ts";
import { type ChangeListener, readNewestNumber } from "../../storage/stores/animals/history.ts";
import { addBatch, type ImportBatch, type WrittenBatch } from "../../storage/stores/animals/imports.ts";
import { findHashes, putImage } from "../../storage/stores/animals/photos.ts";
import { invalidFile } from "../formats/lines.ts";
import { persist } from "../persist.ts";
import type { Progress } from "../progress.ts";
import type { CheckedFile } from "./check-file.ts";
import { transactAndPause } from "./pace.ts";
import type { Row } from "./read-row.ts";

/** In one batch: each takes several statements, and writes of the service wait. */
const PHOTOS_PER_BATCH = 48;
/** Long descriptions would else make a transaction longer than its deadline. */
const CHARACTERS_PER_BATCH = 2 ** 22;

export interface WriteOptions {
  /** The first rows, which an interrupted import has done. */
  from: number;
  batchRows: number;
  gapMs?: number | undefined;
  /** Identify the import. */
  batch: Pick<ImportBatch, "name" | "checksum" | "reading" | "startedAtMs" | "follows">;
  origin(): ChangeOrigin;
  signal: AbortSignal;
  /** Called when a batch is durable. */
  changed: ChangeListener;
  onProgress: Progress;
}

/** Resolves to the totals of all batches. Throws the reason of an aborted signal after the current batch. */
export async function writeRows(
  db: Database,
  file: CheckedFile,
  options: WriteOptions,
): Promise<WrittenBatch> {
  const { gapMs, signal, changed, onProgress } = options;
  const total = { added: 0, updated: 0, photos: 0 };
  for await (const batch of readBatches(file, options)) {
    signal.throwIfAborted();
    let written: WrittenBatch | undefined;
    const write = () =>
      transactAndPause(
        db,
        async (tx) => {
          // A repetition may find that the batch was written after all.
          written = (await addBatch(tx, batch)) ?? written;
          return readNewestNumber(tx);
        },
        gapMs,
      );
    const version = await persist(write, { rowsDone: batch.from, signal });
    total.added += written?.added ?? 0;
    total.updated += written?.updated ?? 0;
    total.photos += written?.photos ?? 0;
    await changed(version);
    onProgress(batch.to, file.rows, "rows");
  }
  return total;
}

async function* readBatches(file: CheckedFile, options: WriteOptions): AsyncGenerator<ImportBatch> {
  const { from, batchRows, origin } = options;
  const begin = (at: number): Omit<ImportBatch, "imported"> => {
    return { ...options.batch, rows: [], from: at, to: at, isLast: false, origin: origin() };
  };
  let batch = begin(from);
  let photos = 0;
  let characters = 0;
  for await (const { number, row } of readFrom(file, from, () => batch.from)) {
    batch.to = number;
    if (row !== undefined) {
      const { line, pet, photos: names } = row;
      const hashes = names.length === 0 ? [] : file.photos?.hashesOf(names);
      if (hashes === undefined) throw invalidFile("The photos were changed during the import.");
      file.names.resolve(row, false);
      file.shelters.resolve(row);
      batch.rows.push({ line, pet, hashes });
      file.imported.add(number);
      photos += hashes.length;
      characters += pet.profile?.description?.length ?? 0;
    }
    const isFull =
      batch.rows.length >= batchRows || photos >= PHOTOS_PER_BATCH || characters >= CHARACTERS_PER_BATCH;
    if (!isFull || number >= file.rows) continue;
    yield { ...batch, imported: file.imported.compress() };
    batch = begin(number);
    photos = 0;
    characters = 0;
  }
  yield { ...batch, isLast: true, imported: file.imported.compress() };
}

/** The rows after the first `from`, each with its number. Rows that are not written are undefined. */
async function* readFrom(
  { source, readRow, isSkipped }: CheckedFile,
  from: number,
  done: () => number,
): AsyncGenerator<{ number: number; row: Row | undefined }> {
  let number = 0;
  for await (const record of source.read("bytes read", done)) {
    number += 1;
    if (number > from) yield { number, row: isSkipped(number) ? undefined : readRow(record) };
  }
}

/** Before the first row is written, so that a damaged image is found in time: it adds a bad row to `file`. */
export async function convertPhotos(
  db: Database,
  file: CheckedFile,
  { from, origin, signal, onProgress }: Pick<WriteOptions, "from" | "origin" | "signal" | "onProgress">,
): Promise<void> {
  if (file.photos === undefined || file.photoCount === 0) return;
  const numbers = new WeakMap<Row, number>();
  async function* readPictured(): AsyncGenerator<Row> {
    for await (const { number, row } of readFrom(file, from, () => from)) {
      if (row === undefined || row.photos.length === 0) continue;
      numbers.set(row, number);
      yield row;
    }
  }
  const persisting = { rowsDone: from, signal };
  let done = 0;
  const bad = await file.photos.convert(readPictured(), {
    store: (image) => persist(() => putImage(db, image, origin().atMs), persisting),
    findHashes: (externalId) => persist(() => findHashes(db, externalId), persisting),
    onPhoto() {
      done += 1;
      onProgress(done, file.photoCount, "photos converted");
    },
  });
  for (const row of bad) {
    const number = numbers.get(row) as number;
    file.addBad(number, row);
    file.names.release(number);
  }
}
