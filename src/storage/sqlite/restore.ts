// Replaces a SQLite store by a backup: verified as a whole first, then renamed into place; the old store is kept.

import { existsSync, renameSync, statSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import SqliteConnection from "better-sqlite3";
import { systemClock } from "../../domain/basics/clock.ts";
import { NEW_FILE, syncFolder, withFile, withTemporaryFiles } from "../../files/atomic-file.ts";
import { refuseOtherOwner } from "../../files/folder-owner.ts";
import { realPathOf } from "../../files/folders.ts";
import { explainingWrites } from "../../files/write-errors.ts";
import { READ_AT_ONCE } from "../../tools/open-flags.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Transaction } from "../database.ts";
import { versions } from "../migrations/0005-versions.ts";
import { audit } from "../migrations/0007-audit.ts";
import { people } from "../migrations/0019-people.ts";
import { createEpoch, readStoreId } from "../stores/basics/versions.ts";
import { recordAudit } from "../stores/keys/audit.ts";
import { closeAllCodes } from "../stores/people/open-invitations.ts";
import { createStoreFolder, refuseOtherKinds } from "./files.ts";
import { createQueries } from "./queries.ts";
import { adviseBackupIn } from "./repair.ts";
import { keepReplacedStore, refuseFilledStore, refuseForeignStore } from "./replaced-store.ts";
import { findSeal, hashFile } from "./seal.ts";
import { takeServingLock } from "./serving-lock.ts";
import { findHeaderFault, type StoreSummary, verifyStoreFile } from "./verify.ts";

export interface RestoreOptions {
  /** Replaces a store that holds data. */
  force: boolean;
  /** Accepts a file without a seal, as other tools write it. */
  unsealed: boolean;
}

export interface RestoreReport extends StoreSummary {
  /** The path of the replaced store; undefined if there was none. */
  kept: string | undefined;
}

/** Throws an OperatorError and changes nothing if the store is being served or the backup is not sound. */
export async function restoreSqlite(
  backup: string,
  path: string,
  options: RestoreOptions,
): Promise<RestoreReport> {
  refuseOtherOwner(path);
  const source = await openBackup(backup, path);
  try {
    return await restoreFrom({ source, path: backup }, realPathOf(path), options);
  } finally {
    await source.close();
  }
}

interface Backup {
  source: FileHandle;
  /** As given by the operator, for messages. */
  path: string;
}

async function openBackup(path: string, store: string): Promise<FileHandle> {
  const file = await open(path, READ_AT_ONCE).catch((error: NodeJS.ErrnoException) => {
    // ENXIO: a socket cannot be opened.
    if (error.code !== "ENOENT" && error.code !== "ENXIO") throw error;
  });
  const found = (await file?.stat()) ?? statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return file as FileHandle;
  await file?.close();
  if (found?.isDirectory()) throw new OperatorError(`${path} is a folder. ${adviseBackupIn(path, store)}`);
  if (found !== undefined)
    throw new OperatorError(`${path} is not a regular file. Give the path of a backup.`);
  throw new OperatorError(`There is no file ${path}. Relative paths start at ${process.cwd()}.`);
}

async function restoreFrom(
  backup: Backup,
  path: string,
  { force, unsealed }: RestoreOptions,
): Promise<RestoreReport> {
  createStoreFolder(path);
  refuseOtherKinds(path);
  refuseForeignStore(path);
  const lock = takeServingLock(path);
  const fresh = `${path}.restoring`;
  try {
    if (!force) refuseFilledStore(path);
    return await withTemporaryFiles([fresh], async () => {
      const found = await explainingWrites(path, async () => {
        await rm(fresh, { recursive: true, force: true });
        await copyDatabase(backup, fresh, unsealed);
        const summary = verifyStoreFile(fresh, backup.path);
        await prepareStore(fresh, summary, basename(backup.path));
        return summary;
      });
      return { ...found, kept: await putInPlace(fresh, path) };
    });
  } finally {
    lock.release();
  }
}

/** Resolves to the path of the replaced store. */
async function putInPlace(fresh: string, path: string): Promise<string | undefined> {
  await withFile(fresh, "r+", (file) => file.sync());
  const kept = keepReplacedStore(path);
  renameSync(fresh, path);
  await syncFolder(dirname(path));
  return kept;
}

/** The copy is verified instead of the backup, so that a later change of the backup has no effect. */
async function copyDatabase({ source, path }: Backup, fresh: string, unsealed: boolean): Promise<void> {
  const seal = await findSeal(source);
  if (seal === undefined) await refuseUnsealed({ source, path }, unsealed);
  const bytes = source.createReadStream({ start: 0, autoClose: false, ...(seal && { end: seal.bytes - 1 }) });
  await withFile(fresh, NEW_FILE, (file) => file.writeFile(bytes));
  if (seal !== undefined && (await hashFile(fresh)) !== seal.checksum)
    throw new OperatorError(`${path} is damaged: its checksum is wrong. Use another backup.`);
}

async function refuseUnsealed({ source, path }: Backup, unsealed: boolean): Promise<void> {
  if (unsealed) {
    if (!existsSync(`${path}-wal`)) return;
    throw new OperatorError(
      `${path} has a WAL, ${path}-wal, and is not complete without it. Copy it with "backup" instead.`,
    );
  }
  const fault = await findHeaderFault(source);
  const advice =
    fault === undefined
      ? "it is damaged, or made by another tool. Restore a copy of another tool with --unsealed"
      : `${fault}. Use another backup`;
  throw new OperatorError(`${path} has no seal at its end: ${advice}.`);
}

/** WAL mode, as in every store, and a new epoch, because versions after the backup are assigned a second time. */
async function prepareStore(path: string, { schemaVersion }: StoreSummary, file: string): Promise<void> {
  const connection = new SqliteConnection(path);
  try {
    connection.pragma("journal_mode = WAL");
    connection.exec("BEGIN IMMEDIATE");
    await beginEpoch(createQueries(connection), schemaVersion, file);
    connection.exec("COMMIT");
  } finally {
    connection.close();
  }
}

/** An older schema has no audit log, and before that no epoch: the migration that adds it creates one. */
async function beginEpoch(tx: Transaction, schemaVersion: number, file: string): Promise<void> {
  if (schemaVersion < versions.version) return;
  const before = await readStoreId(tx);
  await tx.run("UPDATE store SET epoch = $1", [createEpoch()]);
  if (schemaVersion < audit.version) return;
  const atMs = systemClock.nowMs();
  if (schemaVersion >= people.version) await closeAllCodes(tx, atMs);
  await recordAudit(tx, {
    action: "data.restored",
    actor: { command: "restore" },
    target: { file },
    from: { store: before },
    to: { store: await readStoreId(tx) },
    atMs,
  });
}
