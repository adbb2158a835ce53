// Files that appear completely or not at all: written under a temporary name, synced to disk, then renamed.

import { constants, existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { asOwnerOf, giveToOwner } from "./folder-owner.ts";
import { temporaryFiles, trackThreadWork } from "./temporary-files.ts";

/** Freeing 180 MB at once stalled the writes of other processes on the same disk for 90 ms; in these steps, 17 ms at most. */
const FREED_BYTES = 4 * 2 ** 20;
const FREED_PAUSE_MS = 2;

/** For a file that must not exist yet. */
export const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
/** For a file that must not be a symbolic link. Windows has no such flag. */
const OWN_FILE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);
/** Other users must not read animals and hashes of keys. */
const PRIVATE_MODE = 0o600;

/** The target, and the process that made the temporary name. SQLite adds an ending for its journal. */
const TEMPORARY = /^(.*)\.(\d+)\.(?:partial|replaced)(?:-\w+)?$/;

/** The temporary name of the file, different in every process. */
export function partialOf(path: string): string {
  return `${path}.${process.pid}.partial`;
}

/** The temporary name of a file that is about to be deleted. */
export function replacedOf(path: string): string {
  return `${path}.${process.pid}.replaced`;
}

/** The file that a temporary name belongs to; undefined for other names. */
export function targetOf(name: string): string | undefined {
  return TEMPORARY.exec(name)?.[1];
}

/** Replaces an existing file. If `work` fails, nothing changes. */
export async function writeAtomically<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
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
      await removeInSteps(path);
      temporaryFiles.delete(path);
    }
  }
}

/** Deletes temporary files of the same target that a killed process left. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, start, pid] = TEMPORARY.exec(name) ?? [];
    if (start !== basename(path) || isAlive(Number(pid))) continue;
    asOwnerOf(folder, (real) => rmSync(join(real, name), { force: true }));
  }
}

function isAlive(pid: number): boolean {
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
  const replaced = replacedOf(path);
  await asOwnerOf(dirname(path), (folder) => {
    const real = (name: string) => join(folder, basename(name));
    const replace = async () => {
      // A second name for the existing file, so that the rename does not free all its blocks at once. Some file systems
      // have no hard links.
      if (existsSync(real(path))) await link(real(path), real(replaced)).catch(() => {});
      await rename(real(partial), real(path));
    };
    return withTemporaryFiles([real(replaced)], async () => {
      await trackThreadWork(replace());
      await syncFolder(folder);
    });
  });
}

/** Makes the names in the folder survive a power failure. Windows does so without a sync. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const opened = await asOwnerOf(folder, (real) => open(real, "r"));
  await useAndClose(opened, (file) => file.sync());
}

/** Frees the blocks of a large file in steps before deleting it. Does nothing if there is no such file. */
export async function removeInSteps(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isFile()) {
    await withFile(path, OWN_FILE, shrink).catch((error: NodeJS.ErrnoException) => {
      // A file without write permission can still be deleted, in one step.
      if (error.code !== "EACCES") throw error;
    });
  }
  const recursive = found.isDirectory();
  await asOwnerOf(dirname(path), (folder) => rm(join(folder, basename(path)), { recursive }));
}

async function shrink(file: FileHandle): Promise<void> {
  const { size, nlink } = await file.stat();
  // A file with another hard link must keep its content.
  for (let bytes = size - FREED_BYTES; bytes > 0 && nlink === 1; bytes -= FREED_BYTES) {
    await file.truncate(bytes);
    await file.sync();
    await pause(FREED_PAUSE_MS);
  }
}

/** Opens the file with the rights of the folder's owner and closes it after `work`. New files are private. */
export async function withFile<T>(
  path: string,
  flags: string | number,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const opening = asOwnerOf(dirname(path), async (folder) => {
    const file = await open(join(folder, basename(path)), flags, PRIVATE_MODE);
    if (flags === NEW_FILE) giveToOwner(file.fd);
    return file;
  });
  return useAndClose(await trackThreadWork(opening), work);
}

async function useAndClose<T>(file: FileHandle, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
