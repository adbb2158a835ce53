// Backup and restore of a SQLite store. PostgreSQL is backed up with its own tools.

import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config/config.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { requireStore } from "../engines.ts";
import { explainingWrites } from "../files/write-errors.ts";
import { type BackupReport, backupSqlite } from "../storage/sqlite/backup.ts";
import {
  findCurrentBackup,
  nameBackup,
  prepareBackupFolder,
  removeOldBackups,
} from "../storage/sqlite/backup-folder.ts";
import { type RestoreOptions, type RestoreReport, restoreSqlite } from "../storage/sqlite/restore.ts";
import { OperatorError } from "../tools/operator-error.ts";
import type { Progress } from "./progress.ts";
import { refuseStore, refuseTarget, requireFolderOf } from "./target.ts";

const DUMP = "pg_dump --format=custom --file=FILE DATABASE_URL";

interface BackupOptions {
  /** A file, or a folder that gets a file with the time in its name. */
  target: string;
  isFolder?: boolean;
  /** Replaces an existing file. */
  force: boolean;
  /** How many backups stay in the folder; undefined deletes none. */
  keep?: number | undefined;
  onProgress: Progress;
}

/** The newest backup in the folder if it has the last change of the store; undefined if there is none. */
export async function findBackupOf(config: Config, folder: string): Promise<string | undefined> {
  const path = pathOf(config, DUMP);
  requireStore(config);
  return explainingWrites(folder, () => findCurrentBackup(folder, path), folder);
}

/** Works with or without a running service. Old backups are deleted only after the new one is verified and has its name. */
export async function backupStore(
  config: Config,
  { target, isFolder = false, force, keep, onProgress }: BackupOptions,
): Promise<BackupReport & { file: string; deleted: string[] }> {
  const path = pathOf(config, DUMP);
  requireStore(config);
  const openTarget = async () => openFolder(target, path);
  if (isFolder) await explainingWrites(target, openTarget, existsSync(target) ? target : dirname(target));
  const file = isFolder ? nameBackup(target, path, systemClock.nowMs()) : target;
  refuseTarget(config, file, force);
  const report = await explainingWrites(file, () =>
    backupSqlite(path, file, (done, total) => onProgress(done, total, "pages")),
  );
  const deleted = keep === undefined ? [] : await removeOldBackups(file, path, keep);
  return { ...report, file, deleted };
}

/** Creates the folder if it is missing, but not the folders above it. */
function openFolder(folder: string, store: string): void {
  const isTaken = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (isTaken && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`${folder} is not a folder. Give the path of a folder.`);
  requireFolderOf(folder);
  prepareBackupFolder(folder, store);
}

export async function restoreStore(
  config: Config,
  backup: string,
  options: RestoreOptions,
): Promise<RestoreReport & { path: string }> {
  const path = pathOf(config, "pg_restore --clean --if-exists --dbname=DATABASE_URL FILE");
  refuseStore(config, backup);
  return { ...(await restoreSqlite(backup, path, options)), path };
}

function pathOf({ database }: Config, tool: string): string {
  if (database.engine === "sqlite") return database.path;
  throw new OperatorError(`This command is for SQLite. For PostgreSQL, use its own tool: ${tool}`);
}
