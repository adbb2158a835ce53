// The folder of files for an aggregator, which a command writes: CSV, and for Adopt-a-Pet also its settings and photos.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { withDatabase } from "../../command-stores.ts";
import type { Config } from "../../config/config.ts";
import type { Aggregator } from "../../domain/animals/aggregator.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { writeAtomically } from "../../files/atomic-file.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { createFolders, isFolder } from "../../files/folders.ts";
import { PRIVATE_FOLDER } from "../../files/replaced-files.ts";
import { explainingWrites } from "../../files/write-errors.ts";
import type { Queries } from "../../storage/database.ts";
import { findSummaries } from "../../storage/stores/shelters/summaries.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Progress } from "../progress.ts";
import { createFileText, FORMATS, findReasons } from "./aggregator-file.ts";
import type { AggregatorFormat } from "./aggregator-format.ts";
import { readPages } from "./pages.ts";
import { type PhotoFiles, withPhotoFiles } from "./photo-files.ts";

const PAGE_ROWS = 1_000;
const PHOTOS = "photos";
const COLUMN_NAMES_FILE = "import.cfg";

/** An animal that the file cannot express. */
export interface BadAnimal {
  id: bigint;
  name: string;
  reasons: string[];
}

interface FolderOptions {
  aggregator: Aggregator;
  folder: string;
  /** Undefined for the animals of all shelters. */
  shelterId: bigint | undefined;
  /** Leaves out animals that the file cannot express. Without it, they refuse the export. */
  skip: boolean;
  isDryRun: boolean;
  nowMs: number;
  /** Resolves when more may be reported. */
  onBadAnimals(animals: BadAnimal[]): Promise<void>;
  onProgress: Progress;
}

export interface FolderResult {
  /** Animals that the file can express. */
  animals: number;
  bad: number;
  /** Nothing was written, because the file needs addresses of photos, and PUBLIC_URL is not set. */
  needsPublicUrl: boolean;
  photos: number;
  /** The paths of the files and of the folder of photos; empty if nothing was written. */
  files: string[];
}

type Counts = Omit<FolderResult, "photos" | "files">;

/** All animals are checked before the first file is written, and all readings see the same moment. */
export async function exportToFolder(config: Config, options: FolderOptions): Promise<FolderResult> {
  return withDatabase(config, ({ db }) =>
    db.snapshot(async (queries) => {
      const { shelterId, skip, isDryRun } = options;
      if (shelterId !== undefined && !(await findSummaries(queries, [shelterId])).has(shelterId))
        throw new ServiceError("shelter_not_found");
      const counts = await check(queries, config, options);
      const isRefused = counts.needsPublicUrl || (counts.bad > 0 && !skip);
      if (isDryRun || isRefused) return { ...counts, photos: 0, files: [] };
      const { folder } = options;
      return explainingWrites(folder, () => writeFolder(queries, config, { ...options, counts }), folder);
    }),
  );
}

async function check(
  queries: Queries,
  { publicUrl }: Config,
  { aggregator, shelterId, onBadAnimals }: FolderOptions,
): Promise<Counts> {
  const format = FORMATS[aggregator];
  const hasNoUrls = publicUrl === undefined && "photo1" in format.columns;
  const counts: Counts = { animals: 0, bad: 0, needsPublicUrl: false };
  for await (const page of readPages(queries, { statuses: format.statuses, shelterId }, PAGE_ROWS)) {
    if (hasNoUrls && page.some(({ photos }) => photos.length > 0)) counts.needsPublicUrl = true;
    const bad = page
      .map((listing) => ({ id: listing.id, name: listing.name, reasons: findReasons(listing, format) }))
      .filter(({ reasons }) => reasons.length > 0);
    if (bad.length > 0) await onBadAnimals(bad);
    counts.bad += bad.length;
    counts.animals += page.length - bad.length;
  }
  return counts;
}

async function writeFolder(
  queries: Queries,
  config: Config,
  { aggregator, folder, shelterId, nowMs, onProgress, counts }: FolderOptions & { counts: Counts },
): Promise<FolderResult> {
  const format = FORMATS[aggregator];
  const path = join(folder, format.file);
  refuseOtherOwner(path);
  requireFolder(folder);
  createFolders(folder, PRIVATE_FOLDER);
  const result: FolderResult = { ...counts, photos: 0, files: [path] };

  /** The CSV file is replaced last: it names no animal whose photos are not there. */
  const write = (photos?: PhotoFiles) =>
    writeAtomically(path, async (file) => {
      const { head, row } = createFileText(format, { nowMs, publicUrl: config.publicUrl ?? "" });
      await file.appendFile(head);
      let done = 0;
      for await (const page of readPages(queries, { statuses: format.statuses, shelterId }, PAGE_ROWS)) {
        const good = page.filter((listing) => findReasons(listing, format).length === 0);
        await file.appendFile(good.map(row).join(""));
        for (const animal of good) {
          result.photos += (await photos?.add(animal)) ?? 0;
          done += 1;
          onProgress(done, counts.animals, "animals");
        }
      }
      await photos?.publish();
      if (!format.hasHead) result.files.push(await writeColumnNames(folder, format));
    });

  if (aggregator !== "adoptapet") await write();
  else {
    const photoFolder = join(folder, PHOTOS);
    requireFolder(photoFolder);
    await withPhotoFiles(queries, photoFolder, write);
    result.files.push(photoFolder);
  }
  return result;
}

/** Resolves to the path of the file. */
async function writeColumnNames(folder: string, { columns }: AggregatorFormat): Promise<string> {
  const path = join(folder, COLUMN_NAMES_FILE);
  const lines = Object.keys(columns).map((name, index) => `#${index + 1}:${name}=${name}\r\n`);
  await writeAtomically(path, (file) => file.appendFile(lines.join("")));
  return path;
}

/** It may be missing. */
function requireFolder(path: string): void {
  if (existsSync(path) && !isFolder(path))
    throw new OperatorError(`${path} exists and is not a folder. Choose another name.`);
}
