// Backup and restore of a SQLite store. PostgreSQL is backed up with its own tools.

import type { Config } from "../config.ts";
import { requireStore } from "../engines.ts";
import { type BackupReport, backupSqlite } from "../storage/sqlite/backup.ts";
import { type RestoreOptions, type RestoreReport, restoreSqlite } from "../storage/sqlite/restore.ts";
import { OperatorError } from "../tools/operator-error.ts";
import type { Progress } from "./progress.ts";
import { refuseStore, refuseTarget } from "./target.ts";

/** Works with or without a running service. */
export async function backupStore(
  config: Config,
  { target, force, onProgress }: { target: string; force: boolean; onProgress: Progress },
): Promise<BackupReport> {
  const path = pathOf(config, "pg_dump --format=custom --file=FILE DATABASE_URL");
  requireStore(config);
  refuseTarget(config, target, force);
  return backupSqlite(path, target, (done, total) => onProgress(done, total, "pages"));
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
