// A backup in the place of a SQLite store: checked as a whole first, put there in one step, the old store kept.

import {
  chownSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import SqliteConnection from "better-sqlite3";
import { OperatorError } from "../domain/errors.ts";
import { removedAtTheEnd, removeGently, syncFolder, withFile } from "../files/whole-file.ts";
import { versions } from "./migrations/0005-versions.ts";
import { keepOld, refuseFilled } from "./old-store.ts";
import { findSeal, hashFile } from "./seal.ts";
import { takeServingLock } from "./serving-lock.ts";
import { examineStoreFile, type StoreFile } from "./store-file.ts";
import { createEpoch } from "./versions.ts";

export interface RestoreOptions {
  /** Replaces a store that holds anything. */
  force: boolean;
  /** Takes a copy that has no seal, as other tools make it. */
  unsealed: boolean;
}

export interface RestoreReport extends StoreFile {
  /** Where the store from before is; absent where there was none. */
  kept: string | undefined;
}

/** Throws an OperatorError and changes nothing when the store is being served, or the backup is not sound. */
export async function restoreSqlite(
  backup: string,
  path: string,
  { force, unsealed }: RestoreOptions,
): Promise<RestoreReport> {
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile())
    throw new OperatorError(`There is no file ${backup}. Relative names begin at ${process.cwd()}.`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = takeServingLock(path);
  const fresh = `${path}.restoring`;
  try {
    if (!force) refuseFilled(path);
    return await removedAtTheEnd([fresh], async () => {
      await removeGently(fresh);
      await copyDatabase(backup, fresh, unsealed);
      const found = examineStoreFile(fresh, backup);
      makeReady(fresh, found);
      return { ...found, kept: await putInPlace(fresh, path) };
    });
  } finally {
    lock.release();
  }
}

/** Resolves to where the store from before is. */
async function putInPlace(fresh: string, path: string): Promise<string | undefined> {
  await withFile(fresh, "r+", (file) => file.sync());
  giveToOwner(path, [fresh, `${path}-serving`]);
  const kept = keepOld(path);
  renameSync(fresh, path);
  await syncFolder(dirname(path));
  return kept;
}

/** What root restores belongs to whom the store, or for want of one its folder, belongs: the service must read it. */
function giveToOwner(path: string, files: string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(existsSync(path) ? path : dirname(path));
  for (const file of files) chownSync(file, uid, gid);
}

/** What is checked is this copy, not the backup: so nothing can happen to it in between. */
async function copyDatabase(backup: string, fresh: string, unsealed: boolean): Promise<void> {
  const seal = await findSeal(backup);
  if (seal === undefined) refuseUnsealed(backup, unsealed);
  const source = createReadStream(backup, seal && { end: seal.bytes - 1 });
  await pipeline(source, createWriteStream(fresh, { mode: 0o600 }));
  if (seal !== undefined && (await hashFile(fresh)) !== seal.checksum)
    throw new OperatorError(`${backup} is damaged: it is not what the backup wrote. Take another one.`);
}

function refuseUnsealed(backup: string, unsealed: boolean): void {
  if (!unsealed) {
    throw new OperatorError(
      `${backup} does not end like a backup: it is cut short, damaged, or made by another tool. A copy of another tool is taken with --unsealed.`,
    );
  }
  if (existsSync(`${backup}-wal`))
    throw new OperatorError(`${backup} has a log beside it, ${backup}-wal. Copy it with "backup" instead.`);
}

/** In WAL mode, as every store, and with an epoch of its own: numbers after the backup are given out a second time. */
function makeReady(path: string, { schemaVersion }: StoreFile): void {
  const connection = new SqliteConnection(path);
  connection.pragma("journal_mode = WAL");
  // The migration that adds the table makes an epoch, too.
  if (schemaVersion >= versions.version) connection.prepare("UPDATE store SET epoch = ?").run(createEpoch());
  connection.close();
}
