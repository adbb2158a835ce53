// Sends photos to the service, one after the other, and says why one was refused.

import type { Int64 } from "../../../client/src/client.ts";
import { explain } from "../state/failures.ts";
import { ask } from "../state/session.ts";
import { t } from "../texts/language.ts";

/** With these in `accept`, phones that take HEIC photos convert them. */
export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp"];
const BYTES_MAX = 12 * 1024 * 1024;

/** Undefined for a file that can be sent. */
export function refusalOf({ name, type, size }: File): string | undefined {
  if (!IMAGE_TYPES.includes(type)) return t().photos.wrongType(name);
  if (size > BYTES_MAX) return t().photos.tooBig(name);
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
      failed.push(t().photos.failed(file.name, explain(error)));
    }
    onDone(index + 1);
  }
  return failed;
}
