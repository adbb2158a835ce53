// Files that appear completely or not at all: written under a temporary name, synced to disk, then renamed.

import { constants, existsSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { refuseOtherOwner } from "./folder-owner.ts";
import { temporaryFiles, trackThreadWork } from "./temporary-files.ts";

/** Opens a file that must not exist yet. */
export const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
/** Opens a file that must not be a symbolic link. Windows has no such flag. */
const OWN_FILE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);
/** Other users must not read animals and hashes of keys. */
const PRIVATE_MODE = 0o600;

/** The target, and the process that made the temporary name. SQLite adds an ending for its journal. */
const TEMPORARY = /^(.*)\.(\d+)\.(?:partial|replaced)(?:-\w+)?$/;

/** The temporary name of the file, different in every process. */
export function partialOf(path: string): string {
  return `${path}.${process.pid}.partial`;
}

/** The file that a temporary name belongs to; undefined for other names. Releases before 1.2 also made `.replaced` ones. */
export function targetOf(name: string): string | undefined {
  return TEMPORARY.exec(name)?.[1];
}

/** Replaces an existing file. If `work` fails, nothing changes. */
export async function writeAtomically<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  refuseOtherOwner(path);
  removeLeftovers(path);
  return withTemporaryFiles([partialOf(path)], async () => {
    const value = await withFile(partialOf(path), NEW_FILE, work);
    await publish(path);
    return value;
  });
}

/** Deletes the files after `work`, even if it fails or a signal ends the process. */
export async function withTemporaryFiles<T>(paths: string[], work: () => Promise<T>): Promise<T> {
  for (const path of paths) temporaryFiles.add(path);
  try {
    return await work();
  } finally {
    for (const path of paths) {
      await rm(path, { recursive: true, force: true });
      temporaryFiles.delete(path);
    }
  }
}

/** Deletes temporary files of the same target that a killed process left. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, start, pid] = TEMPORARY.exec(name) ?? [];
    if (start === basename(path) && !isAlive(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** False for this process: what has its number at the start was left by an earlier one. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Syncs the partial file and renames it to its final name. An existing file is replaced. */
export async function publish(path: string): Promise<void> {
  const partial = partialOf(path);
  await withFile(partial, OWN_FILE, (file) => file.sync());
  await trackThreadWork(rename(partial, path));
  await syncFolder(dirname(path));
}

/** Makes the names in the folder survive a power failure. Windows does so without a sync. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== "win32") await withFile(folder, "r", (file) => file.sync());
}

/** Opens the file and closes it after `work`. New files are private. */
export async function withFile<T>(
  path: string,
  flags: string | number,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await trackThreadWork(open(path, flags, PRIVATE_MODE));
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
