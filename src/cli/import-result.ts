// Prints the result of `import`: bad rows, animals, categories, and how the file was read.

import { OperatorError } from "../tools/operator-error.ts";
import { showList, showText } from "../tools/shown-text.ts";
import { type IgnoredColumn, PHOTOS } from "../transfer/formats/columns.ts";
import { showDelimiter } from "../transfer/formats/csv-text.ts";
import { ENCODING_NAMES } from "../transfer/formats/encodings.ts";
import type { CheckedFile } from "../transfer/import/check-file.ts";
import type { ImportOutcome } from "../transfer/import/import.ts";
import type { Planned } from "../transfer/import/match-existing.ts";
import { count, describeAnimals, print, printJson, printTable } from "./output.ts";

const ID = "id";

/** `outcome` is undefined if nothing was written. */
export function printImport(file: CheckedFile, outcome: ImportOutcome | undefined, asJson: boolean): void {
  if (asJson) {
    printJson(toJson(file, outcome));
    return;
  }
  const { rows, badLines, badRows } = file;
  const bad = badLines.size;
  if (badRows.length > 0) {
    printTable(
      ["LINE", "PROBLEM"],
      badRows.map(({ line, problem }) => [String(line), problem]),
    );
    print(bad > badRows.length ? `… and ${bad - badRows.length} more\n` : "");
  }
  if (outcome !== undefined) print(describeOutcome(outcome, file));
  else if (rows === 0) print(describeEmpty(file));
  else if (bad === 0) print(`${count(rows, "row")}, all valid. Nothing was written.`);
  else print(`${count(rows, "row")}, ${rows - bad} of them valid. Nothing was written.`);
  if (outcome === undefined && !file.isConverted && rows > 0) print(describePlan(file));
  for (const note of describeReading(file, outcome)) print(note);
}

function toJson(file: CheckedFile, outcome: ImportOutcome | undefined): object {
  const { rows, badLines, badRows, options, delimiter, names, photos } = file;
  const { pets = 0, updated = 0, firstId, lastId, continuedAfter } = outcome ?? {};
  const result = outcome === undefined ? "nothing written" : outcome.wasDone ? "imported before" : "imported";
  return {
    result,
    rows,
    bad: badLines.size,
    badRows,
    animals: pets,
    firstId,
    lastId,
    updated,
    continuedAfter,
    photos: photos === undefined ? undefined : (outcome?.photos ?? 0),
    planned: outcome === undefined && !file.isConverted ? planOf(file) : undefined,
    encoding: options.encoding,
    delimiter,
    ignoredColumns: file.ignoredColumns,
    createdCategories: outcome?.categories ?? [],
    missingCategories: [...(outcome === undefined ? names.missing().map(nameOf) : []), ...names.unused()],
  };
}

/** Sentences about the categories, and how the file was read. */
function describeReading(file: CheckedFile, outcome: ImportOutcome | undefined): string[] {
  const { names, guardedNames, options, delimiter } = file;
  const notes: string[] = [];
  const missing = names.missing().map(nameOf);
  const created = outcome?.categories.map(({ id, name }) => `${id} ${showText(name)}`) ?? [];
  const unused = names.unused();
  if (created.length > 0) notes.push(`Created categories: ${showList(created, (each) => each)}.`);
  if (outcome === undefined && missing.length > 0) notes.push(`Categories to create: ${showList(missing)}.`);
  if (unused.length > 0)
    notes.push(
      `Category names that the store does not have: ${showList(unused)}. --create-categories adds them.`,
    );
  if (guardedNames > 0)
    notes.push(
      `${count(guardedNames, "name")} with an apostrophe before a formula character: --excel removes it if "export --excel" has written the file.`,
    );
  notes.push(...describeIgnored(file));
  const between = delimiter === undefined ? "" : ` with the delimiter ${showDelimiter(delimiter)}`;
  return [...notes, `The file was read as ${ENCODING_NAMES[options.encoding]}${between}.`];
}

/** People who edit an export and import it expect that its "id" finds the animals again. */
function describeIgnored({ ignoredColumns, options }: CheckedFile): string[] {
  const word = options.format === "csv" ? "Columns" : "Members";
  const others = ignoredColumns.filter(({ name }) => name.toLowerCase() !== ID).map(describeColumn);
  return [
    ...(others.length === 0 ? [] : [`${word} that are not read: ${showList(others, (each) => each)}.`]),
    ...(others.length === ignoredColumns.length
      ? []
      : [
          `"${ID}" is not read: the store gives the ids. A row changes an animal only by its externalId; an export that is imported again adds every animal without an externalId again.`,
        ]),
  ];
}

function describeColumn({ name, meant }: IgnoredColumn): string {
  if (name.toLowerCase() === PHOTOS)
    return `${showText(name)} (--photos FOLDER adds the files that it names)`;
  const hint = meant.map((each) => `"${each}"`).join(" or ");
  return hint === "" ? showText(name) : `${showText(name)} (did you mean ${hint}?)`;
}

function describeEmpty({ options: { format } }: CheckedFile): string {
  return `The file has no rows${format === "csv" ? " after its heading line" : ""}. Nothing was written.`;
}

/** Counts what an import of the valid rows would change. */
function planOf({ existing, photos, photoFiles }: CheckedFile): Planned & { photoFiles?: number } {
  return { ...existing.planned, ...(photos !== undefined && { photoFiles }) };
}

function describePlan(file: CheckedFile): string {
  const { added, updated, unchanged, photoFiles } = planOf(file);
  const known =
    updated + unchanged === 0 ? "" : `, change ${updated} known ones and leave ${unchanged} unchanged`;
  const photos = photoFiles === undefined ? "" : ` They name ${count(photoFiles, "photo file")}.`;
  return `The valid rows would add ${count(added, "animal")}${known}.${photos}`;
}

function describeOutcome(outcome: ImportOutcome, { badLines, photos }: CheckedFile): string {
  const { wasDone, continuedAfter, pets, updated, firstId, lastId, finishedAtMs = 0 } = outcome;
  const changed = updated === 0 ? "" : `; ${count(updated, "known animal")} updated`;
  const animals = `${describeAnimals(pets, firstId, lastId)}${changed}`;
  if (wasDone) {
    const day = new Date(finishedAtMs).toISOString();
    return `This file was imported before, at ${day}: ${animals}. Nothing was added; --again imports it once more.`;
  }
  const continued =
    continuedAfter === 0
      ? ""
      : ` It continued after row ${continuedAfter}, where the last attempt was interrupted.`;
  const skipped = badLines.size === 0 ? "" : ` Skipped: ${count(badLines.size, "bad row")}.`;
  const added = photos === undefined ? "" : ` Photos added: ${outcome.photos}.`;
  return `Imported: ${animals}.${added}${continued}${skipped}`;
}

export function refuseBadRows({ rows, badLines }: CheckedFile): never {
  const bad = badLines.size;
  const advice =
    bad === rows
      ? "Correct the file, or check --map, --encoding and --delimiter."
      : "Correct the file, or import the other rows with --skip-bad.";
  throw new OperatorError(
    `${bad} of ${count(rows, "row")} cannot be imported, so nothing was imported. ${advice}`,
  );
}

function nameOf({ name }: { name: string }): string {
  return name;
}
