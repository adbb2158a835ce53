// Files that are there as a whole or not at all: written under another name, made durable, then renamed.

import { constants, existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { asOwnerOf, giveToOwner } from "./folder-owner.ts";
import { OperatorError } from "./operator-error.ts";

/** To free 180 MB at once stalled the writes of others on the same disk for 90 ms; in these steps 17 ms at most. */
const FREED_BYTES = 4 * 2 ** 20;
const FREED_PAUSE_MS = 2;

/** For a file that must not be there yet, and for one that must be no link. Windows has no such flag. */
export const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
const OWN_FILE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);
/** Animals and hashes of keys are nobody else's to read. */
const PRIVATE_MODE = 0o600;

/** What a signal that ends this process is to leave nothing of. */
const unfinished = new Set<string>();

/** Where the file is written until it is whole: a name of this process alone. */
export function partialOf(path: string): string {
  return `${path}.${process.pid}.partial`;
}

export function refuseExisting(path: string, force: boolean): void {
  if (!existsSync(dirname(path)))
    throw new OperatorError(`There is no folder ${dirname(path)}. Make it first.`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw new OperatorError(`${path} is there and is no file. Give another name.`);
  if (!force)
    throw new OperatorError(`${path} is there already. Give another name, or replace it with --force.`);
}

/** Writes a file as a whole; what fails leaves nothing behind. One that is there is replaced. */
export async function writeWhole<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  removeLeftovers(path);
  return removedAtTheEnd([partialOf(path)], async () => {
    const value = await withFile(partialOf(path), NEW_FILE, work);
    await publish(path);
    return value;
  });
}

/** Runs `work` with files that must not outlive it, however it ends. */
export async function removedAtTheEnd<T>(paths: string[], work: () => Promise<T>): Promise<T> {
  for (const path of paths) unfinished.add(path);
  try {
    return await work();
  } finally {
    for (const path of paths) {
      await removeGently(path);
      unfinished.delete(path);
    }
  }
}

/** For the last moment of a process. */
export function removeUnfinished(): void {
  for (const path of unfinished) {
    try {
      const remove = (folder: string) =>
        rmSync(join(folder, basename(path)), { recursive: true, force: true });
      asOwnerOf(dirname(path), remove);
    } catch {
      // There is nobody left to tell, and there may be others.
    }
  }
}

/** What a process that was killed has left of the same file. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, start, pid] = /^(.*)\.(\d+)\.(?:partial|replaced)(?:-\w+)?$/.exec(name) ?? [];
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

/** Puts the partial file in its place; one that is there is replaced. */
export async function publish(path: string): Promise<void> {
  const partial = partialOf(path);
  await withFile(partial, OWN_FILE, (file) => file.sync());
  const replaced = `${path}.${process.pid}.replaced`;
  await asOwnerOf(dirname(path), (folder) => {
    const real = (name: string) => join(folder, basename(name));
    return removedAtTheEnd([real(replaced)], async () => {
      // A second name, so that it is not freed at once when the new one takes the first. Some disks have no such names.
      if (existsSync(real(path))) await link(real(path), real(replaced)).catch(() => {});
      await rename(real(partial), real(path));
      await syncFolder(folder);
    });
  });
}

/** So that the name survives a power cut, too. Windows keeps names by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const opened = await asOwnerOf(folder, (real) => open(real, "r"));
  await closedAtTheEnd(opened, (file) => file.sync());
}

/** A file that is not there is fine. */
export async function removeGently(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isFile()) {
    await withFile(path, OWN_FILE, shrink).catch((error: NodeJS.ErrnoException) => {
      // What may not be written may still be removed, though at once.
      if (error.code !== "EACCES") throw error;
    });
  }
  const recursive = found.isDirectory();
  await asOwnerOf(dirname(path), (folder) => rm(join(folder, basename(path)), { recursive }));
}

async function shrink(file: FileHandle): Promise<void> {
  const { size, nlink } = await file.stat();
  // What has another name as well is not ours to empty.
  for (let bytes = size - FREED_BYTES; bytes > 0 && nlink === 1; bytes -= FREED_BYTES) {
    await file.truncate(bytes);
    await file.sync();
    await pause(FREED_PAUSE_MS);
  }
}

/** Opened, but not used, with the rights of the folder's owner. What it makes, only its owner may read. */
export async function withFile<T>(
  path: string,
  flags: string | number,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const opened = await asOwnerOf(dirname(path), async (folder) => {
    const file = await open(join(folder, basename(path)), flags, PRIVATE_MODE);
    if (flags === NEW_FILE) giveToOwner(file.fd);
    return file;
  });
  return closedAtTheEnd(opened, work);
}

async function closedAtTheEnd<T>(file: FileHandle, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
