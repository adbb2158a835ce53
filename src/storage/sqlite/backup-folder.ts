// A folder of backups with the time in their names: names a new one, and deletes the oldest.

import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import SqliteConnection from "better-sqlite3";
import { removeLeftovers, targetOf, withFile } from "../../files/atomic-file.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { READ_OWN_AT_ONCE } from "../../tools/open-flags.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { OPEN_WAIT_MS, withConnection } from "./files.ts";
import { findSeal } from "./seal.ts";

/** Every change has a number in the history or in the audit log, but for the versions of keys and the site. */
const STATE = `SELECT epoch, keys_version, site, (SELECT max(version) FROM schema_migrations) AS schema,
    (SELECT max(number) FROM history) AS history, (SELECT max(number) FROM audit) AS audit
  FROM store`;
const STAMP = /^-\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/;

/**
 * The path of a new backup: `animal-store-2026-11-15T030000Z.db` for the store `animal-store.db`. Backups of stores with
 * other names can be in the same folder.
 */
export function nameBackup(folder: string, store: string, nowMs: number): string {
  const [date = "", time = ""] = new Date(nowMs).toISOString().split("T");
  return join(folder, `${stemOf(store)}-${date}T${time.slice(0, 8).replaceAll(":", "")}Z.db`);
}

/**
 * The newest sealed backup in the folder if it has the last change of the store: of animals, orders, categories, shelters,
 * photos, keys, people, webhooks and the site. Counts and the states of deliveries may be newer in the store.
 */
export async function findCurrentBackup(folder: string, store: string): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined;
  const [newest] = (await listSealed(folder, store)).slice(-1);
  if (newest === undefined) return undefined;
  const state = readState(newest);
  return state !== undefined && state === readState(store) ? newest : undefined;
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
  const sealed = (await listSealed(folder, store)).filter((path) => basename(path) !== basename(newest));
  const deleted: string[] = [];
  for (const path of sealed.slice(0, Math.max(0, sealed.length - (keep - 1))))
    if (await removeBackup(path, newest)) deleted.push(path);
  return deleted;
}

/** Oldest first. */
async function listSealed(folder: string, store: string): Promise<string[]> {
  const paths = readdirSync(folder)
    .filter((name) => isBackupName(name, store))
    // The time in the names sorts as text.
    .toSorted()
    .map((name) => join(folder, name));
  const sealed: string[] = [];
  for (const path of paths) if (await isSealed(path)) sealed.push(path);
  return sealed;
}

/** The number of the last change; undefined for a file that cannot be read, or that another release has written. */
function readState(path: string): string | undefined {
  try {
    const options = { readonly: true, fileMustExist: true, timeout: OPEN_WAIT_MS };
    return JSON.stringify(withConnection(path, options, (connection) => connection.prepare(STATE).get()));
  } catch (error) {
    if (error instanceof SqliteConnection.SqliteError) return undefined;
    throw error;
  }
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
    // `rm` would also succeed if another process deletes the file at the same moment.
    await unlink(path);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    throw new OperatorError(
      `The backup ${newest} is complete, but the old one ${path} could not be deleted: ${message}. Delete it by hand.`,
    );
  }
}
