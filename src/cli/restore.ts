// `restore`: puts a backup in the place of a SQLite store.

import { readConfig } from "../config.ts";
import { type Command, readFlags } from "./command.ts";
import { placeOf } from "./files.ts";
import { print, printCounts, printJson } from "./output.ts";

export const restore: Command = {
  name: "restore",
  summary: "Put a backup in the place of a SQLite store.",
  help: `Usage: npm run -s animal-store -- restore FILE [--force] [--unsealed] [--json]

Checks all of FILE, then puts it where DATABASE_URL says, in one step. Stop the service first. A backup that is damaged, of
another service or of a newer release is refused, and nothing is changed.

  --force      replace a store that holds anything; the old one is kept beside it as .before-restore
  --unsealed   take a copy that another tool made, such as sqlite3's .backup: its integrity is checked, but not its text
  --json       print the result as JSON`,
  async run(args) {
    const { flags, values } = readFlags(
      args,
      {
        force: { type: "boolean", default: false },
        unsealed: { type: "boolean", default: false },
        json: { type: "boolean" },
      },
      ["FILE"],
    );
    // Loaded here and not above: no other command needs it.
    const { restoreStore } = await import("../transfer/backup.ts");
    const { force, unsealed } = flags;
    const report = await restoreStore(readConfig(), placeOf(values[0] ?? ""), { force, unsealed });
    if (flags.json) {
      printJson(report);
      return;
    }
    const { counts, path, schemaVersion, kept } = report;
    printCounts(counts);
    print(`\nRestored to ${path}, schema ${schemaVersion}. Start the service.`);
    if (kept !== undefined) print(`The store from before is ${kept}.`);
  },
};
