// `backup`: copies a SQLite store, also while the service runs.

import { getPriority, setPriority } from "node:os";
import { resolve } from "node:path";
import { readConfig } from "../config.ts";
import { COMMAND } from "../tools/program.ts";
import { type Command, readFlags, SWITCH } from "./command.ts";
import { print, printCounts, printJson } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

/** A lower priority than the service has, so that requests are not delayed. */
const NICE = 10;

export const backup: Command = {
  name: "backup",
  summary: "Copy a SQLite store while it is in use.",
  help: `Usage: ${COMMAND} backup FILE [--force] [--json]

Copies a consistent snapshot of the store to FILE, a SQLite database. The service can read and write meanwhile. The copy
is checked (integrity, schema, number of rows) and sealed with a checksum before it is renamed to FILE.

  --force   replace an existing file
  --json    print the result as JSON

"restore" puts a backup back. A backup contains all data, including the hashes of keys: protect it from other users.
For PostgreSQL, use pg_dump.`,
  async run(args) {
    const { flags, values } = readFlags(args, { force: SWITCH, json: SWITCH }, ["FILE"]);
    const target = resolve(values[0] ?? "");
    // Imported here because no other command needs it.
    const { backupStore } = await import("../transfer/backup.ts");
    // Only root may raise the priority of a process that has a lower one.
    if (getPriority() < NICE) setPriority(NICE);
    const { counts, schemaVersion, bytes, checksum } = await withProgressBar((onProgress) =>
      backupStore(readConfig(), { target, force: flags.force, onProgress }),
    );
    if (flags.json) return printJson({ file: target, bytes, sha256: checksum, schemaVersion, counts });
    printCounts(counts);
    print(`\nBacked up to ${target}: ${describeBytes(bytes)}, checked and sealed.`);
  },
};

function describeBytes(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
