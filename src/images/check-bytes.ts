// Checks of the bytes of an upload that need no decoder: their number, and the type that the first of them show.

import { IMAGE_BYTES_MAX } from "../domain/animals/photo-limits.ts";
import { ServiceError } from "../domain/basics/errors.ts";

const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Number of bytes that show the type. */
export const TYPE_BYTES = 12;

/** The declared type plays no part. */
export function checkBytes(bytes: Buffer): void {
  if (bytes.length > IMAGE_BYTES_MAX)
    throw new ServiceError("body_too_large", {
      message: `The image is larger than ${IMAGE_BYTES_MAX / 1024 / 1024} MiB.`,
    });
  if (!isImageStart(bytes)) throw new ServiceError("invalid_image");
}

/** Needs at least the first `TYPE_BYTES` bytes. */
export function isImageStart(bytes: Buffer): boolean {
  return startsWith(bytes, JPEG) || startsWith(bytes, PNG) || isWebp(bytes);
}

function isWebp(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}
