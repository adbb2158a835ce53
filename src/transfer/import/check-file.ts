// Checks a file of animals before an import: reads it completely, and finds what becomes of each row.

import type { ImportSettings } from "../../domain/animals/animal-import.ts";
import type { Database } from "../../storage/database.ts";
import { listAllCategories } from "../../storage/stores/animals/categories.ts";
import { findKnownPets } from "../../storage/stores/animals/imported-pets.ts";
import { listSummaries } from "../../storage/stores/shelters/summaries.ts";
import { isGuarded } from "../formats/csv-text.ts";
import { type Column, PHOTOS } from "../formats/find-columns.ts";
import { type CategoryNames, createCategoryNames } from "./category-names.ts";
import { createMatcher, planRow } from "./match-existing.ts";
import type { NumberSet } from "./number-set.ts";
import { createPhotoFiles, type PhotoFiles } from "./photo-files.ts";
import type { PhotoSource } from "./photo-folder.ts";
import type { ReadRow, Row } from "./read-row.ts";
import { createFindings, type Findings } from "./report.ts";
import { createRowShelters, type RowShelters } from "./row-shelters.ts";
import type { SourceFile } from "./source-file.ts";

/** Called with every bad row, in the order of the file; those with bad photos follow. */
export type OnBadRow = (row: Row, source: SourceFile) => void;

/** Their animals are looked up together. SQLite blocks the process in the meantime. */
const ROWS_PER_LOOKUP = 100;

export interface CheckedFile extends Findings {
  source: SourceFile;
  readRow: ReadRow;
  rows: number;
  names: CategoryNames;
  shelters: RowShelters;
  /** Undefined if photos are not read. */
  photos: PhotoFiles | undefined;
  /** How many photos the good rows name. */
  photoCount: number;
  /** Names with an apostrophe that may come from `export --excel`. */
  guardedNames: number;
  /** Rows that have become animals, now or in an earlier import. */
  imported: NumberSet;
  /** Good rows that the earlier import has skipped as bad. */
  retried: number;
}

interface CheckOptions {
  source: SourceFile;
  columns: readonly Column[];
  settings: ImportSettings;
  readRow: ReadRow;
  rows: number;
  /** The number of first rows that an earlier import has read in the same way. */
  done: number;
  imported: NumberSet;
  photoSource: PhotoSource | undefined;
  onBadRow: OnBadRow | undefined;
  /** Undefined if the whole network may be changed. */
  keyShelterId: bigint | undefined;
  nowMs: number;
}

/** Writes nothing. */
export async function checkFile(db: Database, options: CheckOptions): Promise<CheckedFile> {
  const { source, columns, settings, readRow, rows, imported, photoSource, keyShelterId } = options;
  const headingOf = (name: string) => columns.find(({ member }) => member === name)?.heading;
  const match = createMatcher((ids) => findKnownPets(db, ids), { headingOf, rowsMax: rows });
  const names = createCategoryNames(await listAllCategories(db), {
    create: settings.createCategories,
    fallbackId: settings.categoryId,
    heading: headingOf("categoryName"),
  });
  const shelters = createRowShelters(await listSummaries(db), { keyShelterId, headingOf });
  const photos = photoSource && createPhotoFiles(photoSource, headingOf(PHOTOS));
  const findings = createFindings((row) => options.onBadRow?.(row, source));
  const { checkRow, totals } = createRowCheck({ ...options, names, shelters, photos, findings });
  for await (const group of readGroups(source, readRow)) {
    await match(group);
    group.forEach(checkRow);
  }
  return { ...findings, ...totals, source, readRow, rows, names, shelters, photos, imported };
}

type RowCheckParts = Pick<CheckOptions, "imported" | "done" | "nowMs"> &
  Pick<CheckedFile, "names" | "shelters" | "photos"> & { findings: Findings };

/** Decides what becomes of each row of a file, in its order. */
function createRowCheck({ imported, done, nowMs, names, shelters, photos, findings }: RowCheckParts) {
  const totals = { photoCount: 0, guardedNames: 0, retried: 0 };
  let number = 0;

  function checkRow(row: Row): void {
    number += 1;
    const isImported = imported.has(number);
    // Another reading of the file may change an animal, but does not add it a second time.
    const isKept = isImported && (number <= done || row.known === undefined);
    const isReadable = row.problems.length === 0;
    if (isGuarded(row.pet.name ?? "")) totals.guardedNames += 1;
    if (isReadable) names.resolve(row, !isKept);
    if (isReadable) shelters.resolve(row);
    if (isReadable && !isKept) photos?.check(row);
    const planned = row.problems.length === 0 ? planRow(row, shelters, nowMs) : undefined;
    const listing = planned && { ...planned.listing, categoryName: names.nameOf(row) };
    if (isKept && isReadable) findings.addKept(number, listing);
    else if (planned === undefined) findings.addBad(number, row);
    else {
      findings.addGood(planned.outcome, listing);
      names.keep(number, row);
      totals.photoCount += row.photos.length;
      if (!isImported && number <= done) totals.retried += 1;
    }
  }

  return { checkRow, totals };
}

async function* readGroups(source: SourceFile, readRow: ReadRow): AsyncGenerator<Row[]> {
  let group: Row[] = [];
  for await (const record of source.read("bytes checked")) {
    group.push(readRow(record));
    if (group.length < ROWS_PER_LOOKUP) continue;
    yield group;
    group = [];
  }
  yield group;
}
