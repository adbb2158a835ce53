// A backup in the place of a SQLite store: checked as a whole first, put there in one step, the old store kept.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import SqliteConnection from "better-sqlite3";
import {
  NEW_FILE,
  removeInSteps,
  syncFolder,
  withFile,
  withTemporaryFiles,
} from "../../tools/atomic-file.ts";
import { asOwnerOf } from "../../tools/folder-owner.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { versions } from "../migrations/0005-versions.ts";
import { createEpoch } from "../stores/versions.ts";
import { asStoreOwner } from "./files.ts";
import { keepOld, refuseFilled, refuseForeignStore } from "./replaced-store.ts";
import { findSeal, hashFile } from "./seal.ts";
import { takeServingLock } from "./serving-lock.ts";
import { type StoreSummary, verifyStoreFile } from "./verify.ts";

export interface RestoreOptions {
  /** Replaces a store that holds anything. */
  force: boolean;
  /** Takes a copy that has no seal, as other tools make it. */
  unsealed: boolean;
}

export interface RestoreReport extends StoreSummary {
  /** Where the store from before is; absent where there was none. */
  kept: string | undefined;
}

/**
 * Throws an OperatorError and changes nothing when the store is being served, or the backup is not sound. The backup is
 * read with the rights of its own folder's owner: it may be where the service's user cannot read, and what that user
 * has put there must not be read as root.
 */
export async function restoreSqlite(
  backup: string,
  path: string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const source = await asOwnerOf(backup, (realPath) => openBackup(realPath, backup));
  try {
    return await asStoreOwner(path, (realPath) => restoreFrom({ source, name: backup }, realPath, options));
  } finally {
    await source.close();
  }
}

interface Backup {
  source: FileHandle;
  /** For messages. */
  name: string;
}

async function openBackup(path: string, name: string): Promise<FileHandle> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw noBackup(name);
    throw error;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw noBackup(name);
}

function noBackup(name: string): OperatorError {
  return new OperatorError(`There is no file ${name}. Relative names begin at ${process.cwd()}.`);
}

async function restoreFrom(
  backup: Backup,
  path: string,
  { force, unsealed }: RestoreOptions,
): Promise<RestoreReport> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseForeignStore(path);
  const lock = takeServingLock(path);
  const fresh = `${path}.restoring`;
  try {
    if (!force) refuseFilled(path);
    return await withTemporaryFiles([fresh], async () => {
      await removeInSteps(fresh);
      await copyDatabase(backup, fresh, unsealed);
      const found = verifyStoreFile(fresh, backup.name);
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
  const kept = keepOld(path);
  renameSync(fresh, path);
  await syncFolder(dirname(path));
  return kept;
}

/** What is checked is this copy, not the backup: so nothing can happen to it in between. */
async function copyDatabase({ source, name }: Backup, fresh: string, unsealed: boolean): Promise<void> {
  const seal = await findSeal(source);
  if (seal === undefined) refuseUnsealed(name, unsealed);
  const bytes = source.createReadStream({ start: 0, autoClose: false, ...(seal && { end: seal.bytes - 1 }) });
  await withFile(fresh, NEW_FILE, (file) => file.writeFile(bytes));
  if (seal !== undefined && (await hashFile(fresh)) !== seal.checksum)
    throw new OperatorError(`${name} is damaged: it is not what the backup wrote. Take another one.`);
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
function makeReady(path: string, { schemaVersion }: StoreSummary): void {
  const connection = new SqliteConnection(path);
  connection.pragma("journal_mode = WAL");
  // The migration that adds the table makes an epoch, too.
  if (schemaVersion >= versions.version) connection.prepare("UPDATE store SET epoch = ?").run(createEpoch());
  connection.close();
}
