// The photos that the rows of a file name: checks their files, and converts and stores their images before the import.

import type { ProcessedImage } from "../../domain/animals/image.ts";
import type { ImportedPet } from "../../domain/animals/imported-pet.ts";
import { externalIdOf } from "../../domain/animals/profile.ts";
import { PHOTOS_PER_PET_MAX } from "../../domain/basics/count-limits.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { findImageFault } from "../../images/processor.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { showText } from "../../tools/shown-text.ts";
import type { FileRow } from "../formats/file-row.ts";
import { type ConvertImage, convertEach } from "./convert-images.ts";
import { PhotoFileError, type PhotoFolder } from "./photo-folder.ts";

type Row = FileRow<ImportedPet>;
type GoodRow = Extract<Row, { pet: ImportedPet }>;
type BadRow = Extract<Row, { problem: string }>;

interface ConvertOptions {
  /** Stores an image; its photo follows with the batch of its row. */
  store(image: ProcessedImage): Promise<void>;
  /** The images that the photos of a known animal show. */
  findHashes(externalId: string): Promise<string[]>;
  onPhoto(): void;
}

export interface PhotoFiles {
  /** The rows, with a problem for each whose files cannot be photos. */
  resolveRows(rows: Row[]): Row[];
  /** Resolves to the rows whose photos cannot be added. Only the hashes of the images stay in memory. */
  convert(rows: AsyncGenerator<GoodRow>, options: ConvertOptions): Promise<BadRow[]>;
  /** The images of these files, after `convert`; undefined if a file was not converted. */
  hashesOf(names: string[]): string[] | undefined;
}

export function createPhotoFiles(folder: PhotoFolder): PhotoFiles {
  const hashes = new Map<string, string>();
  const problems = new Map<string, string>();

  const readImage = async (name: string, convertImage: ConvertImage) => convertImage(folder.read(name));

  /** A file that several rows name is converted once. */
  async function convertFile(
    name: string,
    convertImage: ConvertImage,
    store: ConvertOptions["store"],
  ): Promise<void> {
    if (hashes.has(name) || problems.has(name)) return;
    const image = await readImage(name, convertImage).catch(explainRefusal);
    if (typeof image === "string") {
      problems.set(name, describe(name, image));
      return;
    }
    await store(image);
    hashes.set(name, image.hash);
  }

  function hashesOf(names: string[]): string[] | undefined {
    const found = names.flatMap((name) => hashes.get(name) ?? []);
    return found.length === names.length ? found : undefined;
  }

  return {
    resolveRows: (rows) => rows.map((row) => checkFiles(row, folder)),
    async convert(rows, { store, findHashes, onPhoto }) {
      const bad: BadRow[] = [];
      await convertEach(rows, async ({ line, pet, photos = [] }, convertImage) => {
        for (const name of photos) {
          await convertFile(name, convertImage, store);
          onPhoto();
        }
        const id = externalIdOf(pet);
        const before = id === undefined ? [] : await findHashes(id);
        const found = photos.flatMap((name) => problems.get(name) ?? []);
        const tooMany = describeTooMany(before, hashesOf(photos) ?? []);
        if (tooMany !== undefined) found.push(tooMany);
        if (found.length > 0) bad.push({ line, problem: found.join("; ") });
      });
      return bad;
    },
    hashesOf,
  };
}

/** A row whose files cannot be photos becomes a problem. */
function checkFiles(row: Row, folder: PhotoFolder): Row {
  if ("problem" in row) return row;
  const found = (row.photos ?? []).flatMap((name) => {
    try {
      folder.check(name);
      return [];
    } catch (error) {
      if (error instanceof PhotoFileError) return describe(name, error.message);
      throw error;
    }
  });
  return found.length === 0 ? row : { line: row.line, problem: found.join("; ") };
}

function describeTooMany(before: string[], added: string[]): string | undefined {
  const total = new Set([...before, ...added]).size;
  return total > PHOTOS_PER_PET_MAX
    ? `the animal has ${before.length} photos and would have ${total}, but may have ${PHOTOS_PER_PET_MAX}`
    : undefined;
}

function describe(name: string, reason: string): string {
  return `photo ${showText(name)}: ${reason}`;
}

/** Without the image library no photo can be converted: that is no fault of the row. */
async function explainRefusal(error: unknown): Promise<string> {
  if (error instanceof PhotoFileError) return error.message;
  if (!(error instanceof ServiceError)) throw error;
  const fault = error.code === "unavailable" ? await findImageFault() : undefined;
  if (fault === undefined) return error.message;
  throw new OperatorError(
    `Photos cannot be converted on this machine: ${fault} No row was written; the command "doctor" says more.`,
  );
}
