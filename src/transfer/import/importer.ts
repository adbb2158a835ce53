// Imports animals from a file, for the service and for the command: the same checks, rules and report.

import { createHash } from "node:crypto";
import type { AnimalImporter, ImportReport, ImportRequest } from "../../domain/animals/animal-import.ts";
import type { Category } from "../../domain/animals/category.ts";
import type { Clock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { IMPORT_ROWS_MAX } from "../../domain/basics/request-limits.ts";
import type { Database } from "../../storage/database.ts";
import type { ChangeListener } from "../../storage/stores/animals/history.ts";
import { findImport, type ImportState } from "../../storage/stores/animals/imports.ts";
import { findKeyShelter } from "../../storage/stores/shelters/own-shelter.ts";
import { invalidSetting } from "../formats/find-columns.ts";
import { persist } from "../persist.ts";
import type { Progress } from "../progress.ts";
import { type CheckedFile, checkFile, type OnBadRow } from "./check-file.ts";
import { createCategories } from "./create-categories.ts";
import { createNumberRange, createNumberSet, expandNumberSet, type NumberSet } from "./number-set.ts";
import { isOldReading, isSameReading, type OpenedFile, openFile } from "./open-file.ts";
import type { PhotoSource } from "./photo-folder.ts";
import { createRowReader } from "./read-row.ts";
import { readRowRules } from "./row-rules.ts";
import { describeColumns } from "./survey.ts";
import { convertPhotos, type WriteOptions, writeRows } from "./write-rows.ts";

/** A batch on SQLite blocks the service for about 5 ms. Requests that were waiting are answered in the pause. */
const SERVICE_PACE = { sqlite: { batchRows: 50, gapMs: 3 }, postgres: { batchRows: 100 } };

interface ImporterOptions {
  clock: Clock;
  /** Awaited when a batch is durable, with the newest number of the history. */
  changed: ChangeListener;
}

/** Options that only the command has. */
export interface CommandOptions extends ImporterOptions {
  batchRows: number;
  /** The pause after a batch on SQLite. The default lets another process write. */
  gapMs?: number | undefined;
  /** More rows are refused. */
  rowsMax?: number | undefined;
  /** Headings that are not recognised. */
  ignore?: readonly string[] | undefined;
  /** Removes the apostrophes that `export --excel` has added. `auto` is the same reading as false for a file without them. */
  excel?: boolean | "auto" | undefined;
  /** Imports a file again that was imported before. */
  again?: boolean | undefined;
  /** Undefined if photos are not read. */
  photoSource?: PhotoSource | undefined;
  onBadRow?: OnBadRow | undefined;
  /** Progress of every reading of the file. */
  onStep?: Progress | undefined;
}

/** The report, and what the command prints beyond it. */
export interface ImportResult {
  report: ImportReport;
  /** When all of the file was imported before. */
  finishedAtMs: number | undefined;
  /** Rows that an interrupted import had done. */
  continuedAfter: number;
  createdCategories: Category[];
  /** Undefined if nothing was written. */
  photosAdded: number | undefined;
  file: CheckedFile;
}

/** The service's importer: bad rows reject. */
export function createAnimalImporter(db: Database, options: ImporterOptions): AnimalImporter {
  return async (request) => {
    const { report } = await importAnimals(db, request, {
      ...options,
      ...SERVICE_PACE[db.engine],
      excel: request.format === "ndjson" ? false : "auto",
      rowsMax: IMPORT_ROWS_MAX,
    });
    const { bad, settings } = report;
    if (bad > 0 && !request.isDryRun && !settings.skipBad) throw refuseBadRows(report);
    return report;
  };
}

function refuseBadRows({ bad, rows, problems: [first] }: ImportReport): ServiceError {
  const example = first === undefined ? "" : ` The first is on line ${first.line}: ${first.message}.`;
  return new ServiceError("file_has_bad_rows", {
    message: `${bad} of ${rows} rows cannot be imported, so nothing was imported.${example} A dry run lists them; with the setting skipBad the other rows are imported.`,
  });
}

/** The state before the first row is written. */
interface Checked {
  opened: OpenedFile;
  file: CheckedFile;
  /** The first rows, which an interrupted import has done and this one continues. */
  from: number;
  /** Whether all rows were imported before, or are bad. */
  isDone: boolean;
  finishedAtMs: number | undefined;
  batch: WriteOptions["batch"];
}

/** Without `skipBad`, a file with bad rows is not written. */
export async function importAnimals(
  db: Database,
  request: ImportRequest,
  options: CommandOptions,
): Promise<ImportResult> {
  const checked = await check(db, request, options);
  const { file, from, batch } = checked;
  const isRefused = () => file.badRows() > 0 && !request.settings.skipBad;
  if (request.isDryRun || checked.isDone || isRefused()) return describe(request, checked);

  const { clock, changed, batchRows, gapMs, onStep = () => {} } = options;
  const origin = () => ({ ...request.origin, atMs: clock.nowMs() });
  const { signal } = request;
  await convertPhotos(db, file, { from, origin, signal, onProgress: onStep });
  if (isRefused()) return describe(request, checked);
  const createdCategories = await persist(() => createCategories(db, file.names, origin()), {
    rowsDone: from,
    signal,
  });
  request.onProgress(from);
  const written = await writeRows(db, file, {
    from,
    batchRows,
    gapMs,
    batch,
    origin,
    signal,
    changed,
    onProgress(rows, total, what) {
      onStep(rows, total, what);
      request.onProgress(rows);
    },
  });
  const { photos: photosAdded, added, updated } = written;
  Object.assign(file.counts, { added, updated, unchanged: file.rows - file.badRows() - added - updated });
  return { ...describe(request, checked), createdCategories, photosAdded };
}

async function check(db: Database, request: ImportRequest, options: CommandOptions): Promise<Checked> {
  const { name, signal, origin } = request;
  const { clock, again = false, excel = false, photoSource, onBadRow } = options;
  const opened = await openFile(request, options);
  const { source, survey, columns, reading, settings } = opened;
  const { rows, orders } = survey;
  const nowMs = clock.nowMs();
  const keyShelterId = await findKeyShelter(db, origin);
  const checksum = checksumFor(keyShelterId, source.checksum());
  const before = await findImport(db, checksum);
  const { done, imported } = resume(before, { reading, rows, again });
  const { format } = source;
  const rules = { columns, settings, orders, check: await readRowRules() };
  const readRow = createRowReader({ ...rules, format, nowMs, excel: excel !== false });
  const file = await checkFile(db, {
    source,
    columns,
    settings,
    readRow,
    rows,
    done,
    imported,
    photoSource,
    onBadRow,
    keyShelterId,
    nowMs,
  });
  signal.throwIfAborted();
  const isDone = done >= rows && file.retried === 0;
  const finishedAtMs = isDone ? before?.finishedAtMs : undefined;
  const begun = { opened, file, isDone, finishedAtMs };
  if (before?.finishedAtMs === undefined && before !== undefined && file.retried === 0)
    return { ...begun, from: done, batch: { name, checksum, reading, startedAtMs: before.startedAtMs } };
  // Two imports of a file never begin at the same time.
  const startedAtMs = Math.max(nowMs, (before?.startedAtMs ?? 0) + 1);
  return { ...begun, from: 0, batch: { name, checksum, reading, startedAtMs, follows: before } };
}

/** Shelters may import equal files: each adds its own animals. Without a shelter, imports of earlier releases are found. */
function checksumFor(keyShelterId: bigint | undefined, checksum: Buffer): Buffer {
  if (keyShelterId === undefined) return checksum;
  return createHash("sha256").update(`shelter ${keyShelterId}\n`).update(checksum).digest();
}

interface Resumed {
  /** The number of first rows that earlier imports have read in the same way. */
  done: number;
  imported: NumberSet;
}

/**
 * Rows that have become animals are not added again, unless `again` is set. Rows that were skipped as bad are tried again.
 * In another reading, the rows of known animals are read again.
 */
function resume(
  before: ImportState | undefined,
  { reading, rows, again }: { reading: string; rows: number; again: boolean },
): Resumed {
  if (before === undefined) return { done: 0, imported: createNumberSet() };
  const { rowsDone, finishedAtMs } = before;
  const isSame = isSameReading(before.reading, reading);
  const isOld = isOldReading(before.reading);
  if (finishedAtMs !== undefined && again) return { done: 0, imported: createNumberSet() };
  const imported =
    isOld || before.imported === undefined
      ? createNumberRange(finishedAtMs === undefined ? rowsDone : rows)
      : expandNumberSet(before.imported);
  // Earlier releases imported a file once, however it was read.
  if (finishedAtMs !== undefined) return { done: isSame || isOld ? rows : 0, imported };
  // Other columns would make different animals from the remaining rows.
  if (!isSame)
    throw invalidSetting(
      `an import of this file was interrupted after ${rowsDone} rows. Import the file with the same settings to complete it, or import its other rows as a file of their own`,
    );
  return { done: rowsDone, imported };
}

function describe({ isDryRun }: ImportRequest, { opened, file, from, finishedAtMs }: Checked): ImportResult {
  const { source, columns, survey, settings } = opened;
  const { rows, counts, problems, preview } = file;
  const report: ImportReport = {
    isDryRun,
    rows,
    ...counts,
    bad: file.badRows(),
    problems,
    columns: describeColumns(source, columns, survey, settings.dateOrder),
    preview,
    settings,
  };
  return { report, finishedAtMs, continuedAfter: from, createdCategories: [], photosAdded: undefined, file };
}
