// Rights on the files of a SQLite store: those that this user lacks, and those that other users should not have.

import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ExposedFile } from "../inspection.ts";

/** Suffixes of the files that the service must be able to write. */
const STORE_FILES = ["", "-wal", "-shm", "-serving"];

export interface MissingRight {
  /** The folder of the store, if it is closed, and then all closed files. */
  closed: [string, ...string[]];
  isFolderClosed: boolean;
  /** The owner and the mode of the first. */
  ownerUid: number;
  mode: string;
}

/**
 * Looks at the folder and the files with these suffixes. Undefined if this user may write all of them. Files are not opened,
 * because closing one would release the locks that this process holds on it.
 */
export function findMissingRight(path: string, suffixes = STORE_FILES): MissingRight | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined || uid === 0) return undefined;
  const folder = dirname(path);
  const files = suffixes.map((suffix) => `${path}${suffix}`);
  const [first, ...others] = [folder, ...files].filter((each) => !mayWrite(each));
  if (first === undefined) return undefined;
  const found = statSync(first);
  return {
    closed: [first, ...others],
    isFolderClosed: first === folder,
    ownerUid: found.uid,
    mode: modeOf(found),
  };
}

/** Files that other users may use. Windows has no such modes. */
export function findExposedFiles(path: string): ExposedFile[] {
  if (process.platform === "win32") return [];
  return STORE_FILES.map((suffix) => `${path}${suffix}`).flatMap((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o077) !== 0 ? [{ file, mode: modeOf(found) }] : [];
  });
}

/** In the notation of `chmod`. */
function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/**
 * The system answers, ACLs included. True for files that do not exist or cannot be examined, and for a file system that is
 * mounted read-only: rights are not its problem.
 */
function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES" || !existsSync(path);
  }
}
