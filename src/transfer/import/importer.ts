// Imports animals from a file, for the service and for the command: the same checks, rules and report.

import type { AnimalImporter, ImportReport, ImportRequest } from "../../domain/animals/animal-import.ts";
import type { Category } from "../../domain/animals/category.ts";
import type { Clock } from "../../domain/basics/clock.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { Database } from "../../storage/database.ts";
import type { ChangeListener } from "../../storage/stores/animals/history.ts";
import { findImport, type ImportState } from "../../storage/stores/animals/imports.ts";
import { invalidSetting } from "../formats/columns.ts";
import { persist } from "../persist.ts";
import type { Progress } from "../progress.ts";
import { type CheckedFile, checkFile, type OnBadRow } from "./check-file.ts";
import { createCategories } from "./create-categories.ts";
import { isOldReading, isSameReading, type OpenedFile, openFile } from "./open-file.ts";
import type { PhotoSource } from "./photo-folder.ts";
import { createRowReader } from "./read-row.ts";
import { readRowRules } from "./row-rules.ts";
import { describeColumns } from "./survey.ts";
import { convertPhotos, type WriteOptions, writeRows } from "./write-rows.ts";

/** A batch on SQLite blocks the service for some milliseconds. */
const SERVICE_BATCH_ROWS = 100;

interface ImporterOptions {
  clock: Clock;
  /** Awaited when a batch is durable, with the newest number of the history. */
  changed: ChangeListener;
}

/** Options that only the command has. */
export interface CommandOptions extends ImporterOptions {
  batchRows: number;
  /** Headings that are not recognised. */
  ignore?: readonly string[] | undefined;
  /** Removes the apostrophes that `export --excel` has added. */
  excel?: boolean | undefined;
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
    const { report } = await importAnimals(db, request, { ...options, batchRows: SERVICE_BATCH_ROWS });
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
  /** Rows that earlier imports of the file have done. */
  done: number;
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
  const { file, done, batch } = checked;
  const isRefused = () => file.badRows() > 0 && !request.settings.skipBad;
  if (request.isDryRun || done >= file.rows || isRefused()) return describe(request, checked);

  const { clock, changed, batchRows, onStep = () => {} } = options;
  const origin = () => ({ ...request.origin, atMs: clock.nowMs() });
  await convertPhotos(db, file, { from: done, origin, onProgress: onStep });
  if (isRefused()) return describe(request, checked);
  const createdCategories = await persist(done, () => createCategories(db, file.names, origin()));
  request.onProgress(done);
  const written = await writeRows(db, file, {
    from: done,
    batchRows,
    batch,
    origin,
    signal: request.signal,
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
  const { name, signal } = request;
  const { clock, again = false, excel = false, photoSource, onBadRow } = options;
  const opened = await openFile(request, options);
  const { source, survey, columns, reading, settings } = opened;
  const { rows, orders } = survey;
  const nowMs = clock.nowMs();
  const before = await findImport(db, source.checksum());
  const { done, startedAtMs, follows } = resume(before, { reading, rows, again, nowMs });
  const { format } = source;
  const rules = { columns, settings, orders, check: await readRowRules() };
  const readRow = createRowReader({ ...rules, format, nowMs, excel });
  const checking = { source, columns, settings, readRow, rows, done, photoSource, onBadRow, nowMs };
  const file = await checkFile(db, checking);
  signal.throwIfAborted();
  const finishedAtMs = done >= rows ? before?.finishedAtMs : undefined;
  return { opened, file, done, finishedAtMs, batch: { name, reading, startedAtMs, follows } };
}

interface Resumed {
  done: number;
  startedAtMs: number;
  /** Start time of the finished import that is repeated. */
  follows: number | undefined;
}

/** Continues an interrupted import, and begins a finished one again only if it is read in another way or `again` is set. */
function resume(
  before: ImportState | undefined,
  { reading, rows, again, nowMs }: { reading: string; rows: number; again: boolean; nowMs: number },
): Resumed {
  if (before === undefined) return { done: 0, startedAtMs: nowMs, follows: undefined };
  const { rowsDone, startedAtMs, finishedAtMs } = before;
  const isSame = isSameReading(before.reading, reading);
  if (finishedAtMs !== undefined) {
    // Earlier releases imported a file once, however it was read.
    const isDone = !again && (isSame || isOldReading(before.reading));
    return { done: isDone ? rows : 0, startedAtMs: nowMs, follows: startedAtMs };
  }
  // Other columns would make different animals from the remaining rows.
  if (!isSame)
    throw invalidSetting(
      `an import of this file was interrupted after ${rowsDone} rows. It read them as ${before.reading}. Import the file with the same settings to complete it, or import its other rows as a file of their own`,
    );
  return { done: rowsDone, startedAtMs, follows: undefined };
}

function describe({ isDryRun }: ImportRequest, { opened, file, done, finishedAtMs }: Checked): ImportResult {
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
  const continuedAfter = finishedAtMs === undefined ? done : 0;
  return { report, finishedAtMs, continuedAfter, createdCategories: [], photosAdded: undefined, file };
}
