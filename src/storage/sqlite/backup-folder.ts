// A folder of backups with the time in their names: names a new one, and deletes the oldest.

import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import {
  removeLeftovers,
  replacedOf,
  targetOf,
  withFile,
  withTemporaryFiles,
} from "../../files/atomic-file.ts";
import { asOwnerOf, giveToOwner } from "../../files/folder-owner.ts";
import { READ_OWN_AT_ONCE } from "../../tools/open-flags.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { findSeal } from "./seal.ts";

const STAMP = /^-\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/;
const FOLDER = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0);

/**
 * The path of a new backup: `animal-store-2026-11-15T030000Z.db` for the store `animal-store.db`. Backups of stores with
 * other names can be in the same folder.
 */
export function nameBackup(folder: string, store: string, nowMs: number): string {
  const [date = "", time = ""] = new Date(nowMs).toISOString().split("T");
  return join(folder, `${stemOf(store)}-${date}T${time.slice(0, 8).replaceAll(":", "")}Z.db`);
}

/** Creates the folder if it is missing, and deletes what killed backups left in it. */
export function prepareBackupFolder(folder: string, store: string): void {
  if (!existsSync(folder)) createFolder(folder);
  const targets = readdirSync(folder).flatMap((name) => targetOf(name) ?? []);
  for (const target of new Set(targets))
    if (isBackupName(target, store)) removeLeftovers(join(folder, target));
}

function createFolder(folder: string): void {
  asOwnerOf(folder, (realPath) => {
    mkdirSync(realPath, { mode: 0o700 });
    if (process.platform === "win32") return;
    const fd = openSync(realPath, FOLDER);
    giveToOwner(fd);
    closeSync(fd);
  });
}

/**
 * Keeps `newest`, which was just written, and the newest others up to `keep` in all. Only sealed backups of this store are
 * counted and deleted: a file without a seal may be anything. Resolves to the deleted files, oldest first.
 */
export async function removeOldBackups(newest: string, store: string, keep: number): Promise<string[]> {
  const folder = dirname(newest);
  const others = readdirSync(folder)
    .filter((name) => name !== basename(newest) && isBackupName(name, store))
    // The time in the names sorts as text.
    .toSorted()
    .map((name) => join(folder, name));
  const sealed: string[] = [];
  for (const path of others) if (await isSealed(path)) sealed.push(path);
  const deleted: string[] = [];
  for (const path of sealed.slice(0, Math.max(0, sealed.length - (keep - 1))))
    if (await removeBackup(path, newest)) deleted.push(path);
  return deleted;
}

function isBackupName(name: string, store: string): boolean {
  const stem = stemOf(store);
  return name.startsWith(stem) && STAMP.test(name.slice(stem.length));
}

function stemOf(store: string): string {
  return basename(store, extname(store));
}

/** False for anything else, and for a file that cannot be read: it is left alone. */
async function isSealed(path: string): Promise<boolean> {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  return withFile(path, READ_OWN_AT_ONCE, async (file) => (await findSeal(file)) !== undefined).catch(
    () => false,
  );
}

/** Resolves to false if another process has just deleted it. */
async function removeBackup(path: string, newest: string): Promise<boolean> {
  // Under a temporary name, so that a kill in the middle leaves no shortened file that looks like a backup.
  const temporary = replacedOf(path);
  const rename = async () => {
    asOwnerOf(dirname(path), (folder) =>
      renameSync(join(folder, basename(path)), join(folder, basename(temporary))),
    );
    return true;
  };
  return withTemporaryFiles([temporary], rename).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return false;
    throw new OperatorError(
      `The backup ${newest} is complete, but the old one ${path} could not be deleted: ${error.message}. Delete it by hand.`,
    );
  });
}
