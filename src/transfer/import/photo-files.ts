// The photos that the rows of a file name: checks their files, and converts and stores their images before the import.

import { externalIdOf } from "../../domain/animals/profile.ts";
import type { ProcessedImage } from "../../domain/animals/stored-image.ts";
import { PHOTOS_PER_PET_MAX } from "../../domain/basics/count-limits.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { findImageFault } from "../../images/processor.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { showText } from "../../tools/shown-text.ts";
import { type ConvertImage, convertEach } from "./convert-images.ts";
import { PhotoFileError, type PhotoSource } from "./photo-folder.ts";
import type { Row } from "./read-row.ts";

interface ConvertOptions {
  /** Stores an image; its photo follows with the batch of its row. */
  store(image: ProcessedImage): Promise<void>;
  /** The images that the photos of a known animal show. */
  findHashes(externalId: string): Promise<string[]>;
  onPhoto(): void;
}

export interface PhotoFiles {
  /** Adds a problem for each file that cannot be a photo. */
  check(row: Row): void;
  /** Resolves to the rows whose photos cannot be added, with their problems. Only the hashes of other images stay in memory. */
  convert(rows: AsyncGenerator<Row>, options: ConvertOptions): Promise<Row[]>;
  /** The images of these files, after `convert`; undefined if a file was not converted. */
  hashesOf(names: string[]): string[] | undefined;
}

/** `heading` is for problems. */
export function createPhotoFiles(source: PhotoSource, heading: string | undefined): PhotoFiles {
  const { convertFile, hashesOf, problemsOf } = createConvertedFiles(source);

  return {
    check({ photos, problems: found }) {
      if (photos.length > PHOTOS_PER_PET_MAX)
        found.push({
          heading,
          message: `photos has ${photos.length} names, but an animal may have ${PHOTOS_PER_PET_MAX}`,
        });
      else for (const name of photos) found.push(...findFault(name, source, heading));
    },
    async convert(rows, { store, findHashes, onPhoto }) {
      const bad: Row[] = [];
      await convertEach(rows, async (row, convertImage) => {
        const { pet, photos } = row;
        for (const name of photos) {
          await convertFile(name, convertImage, store);
          onPhoto();
        }
        const id = externalIdOf(pet);
        const before = id === undefined ? [] : await findHashes(id);
        const messages = problemsOf(photos);
        const tooMany = describeTooMany(before, hashesOf(photos) ?? []);
        if (tooMany !== undefined) messages.push(tooMany);
        row.problems.push(...messages.map((message) => ({ heading, message })));
        if (messages.length > 0) bad.push(row);
      });
      return bad.sort((one, other) => one.line - other.line);
    },
    hashesOf,
  };
}

/** The hash or the problem of each file. */
function createConvertedFiles(source: PhotoSource) {
  const hashes = new Map<string, string>();
  const problems = new Map<string, string>();
  const readImage = async (name: string, convertImage: ConvertImage) => convertImage(await source.read(name));

  return {
    /** A file that several rows name is converted once. */
    async convertFile(
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
    },
    hashesOf(names: string[]): string[] | undefined {
      const found = names.flatMap((name) => hashes.get(name) ?? []);
      return found.length === names.length ? found : undefined;
    },
    problemsOf: (names: string[]) => names.flatMap((name) => problems.get(name) ?? []),
  };
}

function findFault(name: string, source: PhotoSource, heading: string | undefined): Row["problems"] {
  try {
    source.check(name);
    return [];
  } catch (error) {
    if (error instanceof PhotoFileError)
      return [{ heading, value: name, message: describe(name, error.message) }];
    throw error;
  }
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
