// A folder of backups with the time in their names: names a new one, and deletes the oldest.

import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { removeLeftovers, targetOf, withFile } from "../../files/atomic-file.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { READ_OWN_AT_ONCE } from "../../tools/open-flags.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { findSeal } from "./seal.ts";

const STAMP = /^-\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/;

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
  refuseOtherOwner(folder);
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  const targets = readdirSync(folder).flatMap((name) => targetOf(name) ?? []);
  for (const target of new Set(targets))
    if (isBackupName(target, store)) removeLeftovers(join(folder, target));
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
  try {
    await rm(path);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    throw new OperatorError(
      `The backup ${newest} is complete, but the old one ${path} could not be deleted: ${message}. Delete it by hand.`,
    );
  }
}
