// The folder with the photos of an import. No name and no link leads out of it.

import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { join, resolve, sep, win32 } from "node:path";
import { IMAGE_BYTES_MAX } from "../../domain/animals/photo-limits.ts";
import { isImageStart, TYPE_BYTES } from "../../images/check-bytes.ts";
import { READ_OWN_AT_ONCE } from "../../tools/open-flags.ts";
import { OperatorError } from "../../tools/operator-error.ts";

/** Says why a file cannot be a photo. */
export class PhotoFileError extends Error {}

/** Where the photos of an import come from. */
export interface PhotoSource {
  /** Throws a PhotoFileError for what cannot be a photo. Quick: it reads the first bytes at most. */
  check(name: string): void;
  /** The whole image. Throws like `check`. */
  read(name: string): Buffer | Promise<Buffer>;
}

/** An export has addresses instead of file names. */
const ADDRESS = /^https?:/i;
const SEPARATORS = /[\\/]/;

/** Throws an OperatorError if there is no such folder. */
export function openPhotoFolder(path: string): PhotoSource {
  const folder = resolve(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`There is no folder ${folder}. Relative paths start at ${process.cwd()}.`);
  const real = realpathSync(folder);
  const inside = real.endsWith(sep) ? real : `${real}${sep}`;

  function readStart(name: string, chooseLength: (size: number) => number): Buffer {
    refuseName(name);
    try {
      const resolved = realpathSync(join(real, name));
      if (!resolved.startsWith(inside)) throw new PhotoFileError("it is a link that leads out of the folder");
      return readFile(resolved, chooseLength);
    } catch (error) {
      throw error instanceof PhotoFileError ? error : explain(error as NodeJS.ErrnoException);
    }
  }

  return {
    check: (name) => void readStart(name, () => TYPE_BYTES),
    read: (name) => readStart(name, (size) => size),
  };
}

function refuseName(name: string): void {
  if (ADDRESS.test(name))
    throw new PhotoFileError("it is an address, but --photos reads only files of its folder");
  // The rules of Windows include the rules of other systems.
  if (win32.isAbsolute(name) || name.split(SEPARATORS).includes("..") || name.includes("\0"))
    throw new PhotoFileError("it is not a path inside of the folder of --photos");
}

function readFile(path: string, chooseLength: (size: number) => number): Buffer {
  const file = openSync(path, READ_OWN_AT_ONCE);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new PhotoFileError("it is not a file");
    if (found.size > IMAGE_BYTES_MAX)
      throw new PhotoFileError(`it is larger than ${IMAGE_BYTES_MAX / 1024 / 1024} MiB`);
    const bytes = readBytes(file, chooseLength(found.size));
    if (!isImageStart(bytes)) throw new PhotoFileError("it is not a JPEG, PNG or WebP image");
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Fewer if the file ends before. */
function readBytes(file: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const count = readSync(file, bytes, at, length - at, at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function explain({ code, message }: NodeJS.ErrnoException): PhotoFileError {
  const isMissing = code === "ENOENT" || code === "ENOTDIR";
  return new PhotoFileError(
    isMissing ? "there is no such file in the folder" : `it cannot be read: ${code ?? message}`,
  );
}
