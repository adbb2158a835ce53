// `backup`: copies a SQLite store, also while the service runs.

import { statSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename, extname, resolve, sep } from "node:path";
import { readConfig } from "../config/config.ts";
import { COMMAND } from "../tools/program.ts";
import { defineCommand, SWITCH, UsageError, wholeNumber } from "./command.ts";
import { print, printCounts, printJson } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

/** A lower priority than the service has, so that requests are not delayed. */
const NICE = 10;
const KEEP_MAX = 10_000;

export const command = defineCommand({
  help: `Usage: ${COMMAND} backup FILE|FOLDER/ [--keep N] [--if-changed] [--force] [--json]

Copies a consistent snapshot of the store to FILE, a SQLite database. The service continues to read and write. The copy
is checked (integrity, schema, number of rows) and sealed with a checksum before it is renamed to FILE.

In a FOLDER the file gets the name of the store and the time, such as animal-store-2026-11-15T030000Z.db. The folder is
created if it is missing.

  --keep N  after a successful backup, delete the oldest backups of this store in FOLDER until N are left; other files,
            and files that are not sealed, are neither counted nor deleted
  --if-changed
            make no copy if the newest backup in FOLDER has the last change; counts of requests and the states of
            deliveries do not matter. For a backup every minute
  --force   replace an existing file
  --json    print the result as JSON

"restore" puts a backup back. A backup contains all data, including the hashes of keys: protect it from other users.
For PostgreSQL, use pg_dump.`,
  options: { force: SWITCH, json: SWITCH, "if-changed": SWITCH, keep: wholeNumber(1, KEEP_MAX) },
  positionals: ["FILE"],
  async run({ force, json, keep, "if-changed": ifChanged }, given = "") {
    const target = resolve(given);
    const isFolder = isFolderName(given);
    if (keep !== undefined && !isFolder && extname(given) === ".db")
      throw new UsageError(`--keep needs a folder. If ${basename(given)} is one, write ${basename(given)}/.`);
    if (ifChanged && !isFolder) throw new UsageError("--if-changed needs a folder, such as backups/.");
    // Imported here because no other command needs it.
    const { backupStore, findBackupOf } = await import("../transfer/backup.ts");
    // Only root may raise the priority of a process that has a lower one.
    if (getPriority() < NICE) setPriority(NICE);
    const current = ifChanged ? await findBackupOf(readConfig(), target) : undefined;
    if (current !== undefined) {
      if (json) return printJson({ file: current, isCopied: false });
      return print(`Nothing has changed since ${current}; no copy was made.`);
    }
    const { file, counts, schemaVersion, bytes, checksum, deleted } = await withProgressBar((onProgress) =>
      backupStore(readConfig(), {
        target,
        isFolder: isFolder || keep !== undefined,
        force,
        keep,
        onProgress,
      }),
    );
    if (json) return printJson({ file, bytes, sha256: checksum, schemaVersion, counts, deleted });
    printCounts(counts);
    print(`\nBacked up to ${file}: ${describeBytes(bytes)}, checked and sealed.`);
    if (deleted.length > 0)
      print(`Deleted old backups: ${deleted.map((path) => basename(path)).join(", ")}.`);
  },
});

function isFolderName(given: string): boolean {
  return (
    given.endsWith("/") ||
    given.endsWith(sep) ||
    statSync(given, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

function describeBytes(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
