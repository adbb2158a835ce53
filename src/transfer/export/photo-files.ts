// The photos of animals as JPEG files in a folder, for aggregators that read no addresses.

import type { Listing } from "../../domain/animals/listing.ts";
import { type ImageFile, parseImageFileName } from "../../domain/animals/photo.ts";
import { replaceFiles } from "../../files/replaced-files.ts";
import { loadJpegConverter } from "../../images/jpeg.ts";
import type { Queries } from "../../storage/database.ts";
import { findImageFile } from "../../storage/stores/animals/photos.ts";
import { photoPath } from "./aggregator-file.ts";

const PHOTOS_MAX = 4;
const FILE_NAME = /^\d{1,19}-[1-4]\.jpg$/;

export interface PhotoFiles {
  /** Resolves to the number of files. */
  add(animal: Listing): Promise<number>;
  /** Until it is called, nothing changes. Photos of earlier exports that were not added are deleted. */
  publish(): Promise<void>;
}

export async function withPhotoFiles<T>(
  queries: Queries,
  folder: string,
  work: (photos: PhotoFiles) => Promise<T>,
): Promise<T> {
  const toJpeg = await loadJpegConverter();
  return replaceFiles(folder, FILE_NAME, (addFile, publish) =>
    work({
      publish,
      async add({ id, photos }) {
        const files = photos.slice(0, PHOTOS_MAX).map(photoPath);
        for (const [index, path] of files.entries()) {
          const image = parseImageFileName(path.slice(path.lastIndexOf("/") + 1)) as ImageFile;
          const webp = (await findImageFile(queries, image)) as Buffer;
          await addFile(`${id}-${index + 1}.jpg`, await toJpeg(webp));
        }
        return files.length;
      },
    }),
  );
}
