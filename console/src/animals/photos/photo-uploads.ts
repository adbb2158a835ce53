// Sends photos to the service, one after the other, and says why one was refused.

import type { Int64 } from "../../../../client/src/client.ts";
import { IMAGE_BYTES_MAX, IMAGE_TYPES } from "../../../../src/domain/animals/photo-limits.ts";
import { explain } from "../../shared/state/failures.ts";
import { ask } from "../../shared/state/session.ts";
import { later } from "../../shared/texts/pages.ts";

/** Phones that take HEIC photos convert them to one of these. */
export const ACCEPTED = IMAGE_TYPES.join(",");
const MIB = 1024 * 1024;

export function refusalOf({ name, type, size }: File): string | undefined {
  if (!IMAGE_TYPES.some((each) => each === type)) return later().photos.wrongType(name);
  if (size > IMAGE_BYTES_MAX) return later().photos.tooBig(name, IMAGE_BYTES_MAX / MIB);
  return undefined;
}

interface UploadOptions {
  alt: string;
  /** Called with the number of files that were sent or refused. */
  onDone: (done: number) => void;
}

/** In sequence, so that they are shown in the order of the files. Resolves to what failed, for people. */
export async function uploadPhotos(
  petId: Int64,
  files: File[],
  { alt, onDone }: UploadOptions,
): Promise<string[]> {
  const failed: string[] = [];
  for (const [index, file] of files.entries()) {
    try {
      await ask((client) => client.addPhoto(petId, file, { alt }));
    } catch (error) {
      failed.push(later().photos.failed(file.name, explain(error)));
    }
    onDone(index + 1);
  }
  return failed;
}
