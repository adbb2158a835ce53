// `restore`: replaces a SQLite store with a backup.

import { resolve } from "node:path";
import { readConfig } from "../config/config.ts";
import { COMMAND } from "../tools/program.ts";
import { defineCommand, SWITCH } from "./command.ts";
import { print, printCounts, printJson } from "./output.ts";

export const command = defineCommand({
  help: `Usage: ${COMMAND} restore FILE [--force] [--unsealed] [--json]

Checks FILE completely, then replaces the store at DATABASE_URL in one step. Stop the service first. A backup that is
damaged, of another program or of a newer release is rejected, and nothing is changed.

  --force      replace a store that is not empty; the old one is kept beside it as .before-restore
  --unsealed   accept a copy made by another tool, such as sqlite3's .backup; only its integrity is checked, not its
               checksum
  --json       print the result as JSON`,
  options: { force: SWITCH, unsealed: SWITCH, json: SWITCH },
  positionals: ["FILE"],
  async run({ force, unsealed, json }, file = "") {
    // Imported here because no other command needs it.
    const { restoreStore } = await import("../transfer/backup.ts");
    const report = await restoreStore(readConfig(), resolve(file), { force, unsealed });
    if (json) return printJson(report);
    const { counts, path, schemaVersion, kept } = report;
    printCounts(counts);
    print(`\nRestored to ${path}, schema ${schemaVersion}. Start the service.`);
    if (kept !== undefined) print(`The old store is kept as ${kept}.`);
  },
});
