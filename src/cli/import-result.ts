// Prints the result of `import`: bad rows, animals, categories, and how the file was read.

import { type ImportColumn, type ImportReport, importReportJson } from "../domain/animals/animal-import.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { escapeUnsafe, showList, showText } from "../tools/shown-text.ts";
import { showDelimiter } from "../transfer/formats/csv-text.ts";
import { ENCODING_NAMES, type Encoding } from "../transfer/formats/encodings.ts";
import { PHOTOS } from "../transfer/formats/find-columns.ts";
import type { ImportResult } from "../transfer/import/importer.ts";
import { count, print, printTable } from "./output.ts";

const ID = "id";

/** Throws an OperatorError if bad rows keep the file from being imported. */
export function printImport(result: ImportResult, asJson: boolean, publicUrl: string): void {
  const { report } = result;
  if (asJson) print(importReportJson(report, { nowMs: systemClock.nowMs(), publicUrl }));
  else {
    printProblems(report);
    print(describeOutcome(result));
    for (const note of describeNotes(result)) print(note);
    printColumns(report.columns);
  }
  if (report.bad > 0 && !report.settings.skipBad) throw refusal(report);
}

function printProblems({ problems, bad }: ImportReport): void {
  if (problems.length === 0) return;
  printTable(
    ["LINE", "COLUMN", "PROBLEM"],
    problems.map(({ line, heading = "", message, value }) => [
      String(line),
      escapeUnsafe(heading),
      value === undefined || value === "" ? message : `${showText(value)}: ${message}`,
    ]),
  );
  const shown = new Set(problems.map(({ line }) => line)).size;
  print(bad > shown ? `… and ${count(bad - shown, "more bad row")}; --bad-rows FILE writes all\n` : "");
}

function describeOutcome(result: ImportResult): string {
  const { report, finishedAtMs, continuedAfter, photosAdded, file } = result;
  const { rows, bad, added, updated, unchanged, isDryRun, settings } = report;
  const animals = `${count(added, "animal")} added, ${updated} changed, ${unchanged} unchanged`;
  if (rows === 0) return "The file has no rows. Nothing was written.";
  if (finishedAtMs !== undefined)
    return `This file was imported before, at ${new Date(finishedAtMs).toISOString()}. Nothing was added; --again imports it once more.`;
  if (isDryRun || (bad > 0 && !settings.skipBad)) {
    const photos = file.photos === undefined ? "" : ` They name ${count(file.photoCount, "photo")}.`;
    return `${count(rows, "row")}, ${rows - bad} of them good. Nothing was written. An import of the good rows: ${animals}.${photos}`;
  }
  const continued =
    continuedAfter === 0
      ? ""
      : ` It continued after row ${continuedAfter}, where the last attempt was interrupted.`;
  const skipped = bad === 0 ? "" : ` Skipped: ${count(bad, "bad row")}.`;
  const photos = file.photos === undefined ? "" : ` Photos added: ${photosAdded ?? 0}.`;
  return `Imported: ${animals}.${photos}${continued}${skipped}`;
}

/** Sentences about the categories, and how the file was read. */
function describeNotes({ report, createdCategories, photosAdded, file }: ImportResult): string[] {
  const { encoding } = report.settings;
  const notes: string[] = [];
  const created = createdCategories.map(({ id, name }) => `${id} ${showText(name)}`);
  const missing = photosAdded === undefined ? file.names.missing().map(({ name }) => name) : [];
  const unused = file.names.unused();
  if (created.length > 0) notes.push(`Created categories: ${showList(created, (each) => each)}.`);
  if (missing.length > 0) notes.push(`Categories to create: ${showList(missing)}.`);
  if (unused.length > 0)
    notes.push(
      `Category names that the store does not have: ${showList(unused)}. --create-categories adds them.`,
    );
  if (file.guardedNames > 0)
    notes.push(
      `${count(file.guardedNames, "name")} with an apostrophe before a formula character: --excel removes it if "export --excel" has written the file.`,
    );
  if (report.columns.some(({ heading, member }) => member === null && heading.toLowerCase() === ID))
    notes.push(
      `"${ID}" is not read: the store gives the ids. A row changes an animal only by its externalId; an export that is imported again adds every animal without an externalId again.`,
    );
  const between = file.source.delimiter();
  const separated = between === undefined ? "" : ` with the delimiter ${showDelimiter(between)}`;
  return [...notes, `The file was read as ${ENCODING_NAMES[encoding as Encoding]}${separated}:`];
}

function printColumns(columns: readonly ImportColumn[]): void {
  printTable(
    ["COLUMN", "READ AS", "SAMPLES"],
    columns.map(({ heading, member, readAs, samples }) => [
      escapeUnsafe(heading),
      member === null ? describeIgnored(heading, readAs) : `${member} (${readAs})`,
      samples.map((sample) => showText(sample)).join(", "),
    ]),
  );
}

function describeIgnored(heading: string, readAs: string): string {
  return heading.toLowerCase() === PHOTOS
    ? `${readAs}; --photos FOLDER adds the files that it names, --photos-from-urls the photos at its addresses`
    : readAs;
}

function refusal({ rows, bad }: ImportReport): OperatorError {
  const advice =
    bad === rows
      ? "Correct the file, or check --map, --date-order, --encoding and --delimiter."
      : "Correct the file, or import the other rows with --skip-bad.";
  return new OperatorError(
    `${bad} of ${count(rows, "row")} cannot be imported, so nothing was imported. ${advice}`,
  );
}
