// `backup`: copies a SQLite store while it is in use.

import { getPriority, setPriority } from "node:os";
import { readConfig } from "../config.ts";
import { type Command, readFlags } from "./command.ts";
import { describeBytes, placeOf } from "./files.ts";
import { print, printCounts, printJson } from "./output.ts";
import { createProgressBar } from "./progress-bar.ts";

/** The service goes first where both want the processor. */
const NICE = 10;

export const backup: Command = {
  name: "backup",
  summary: "Copy a SQLite store while it is in use.",
  help: `Usage: npm run -s animal-store -- backup FILE [--force] [--json]

Copies the store, as it is at one moment, to FILE: a SQLite database of its own. Reads and writes of the service go on. The
copy is checked (integrity, schema, number of rows) and sealed with a checksum before it gets its name.

  --force   replace a file that is there
  --json    print the result as JSON

"restore" puts it back. It holds everything, the hashes of keys too: keep it where nobody else reads. For PostgreSQL, use
pg_dump.`,
  async run(args) {
    const { flags, values } = readFlags(
      args,
      { force: { type: "boolean", default: false }, json: { type: "boolean" } },
      ["FILE"],
    );
    const target = placeOf(values[0] ?? "");
    // Loaded here and not above: no other command needs it.
    const { backupStore } = await import("../transfer/backup.ts");
    // Who runs it at a lower priority yet may not raise it.
    if (getPriority() < NICE) setPriority(NICE);
    const bar = createProgressBar();
    const options = { target, force: flags.force, onProgress: bar.show };
    const { counts, schemaVersion, bytes, checksum } = await backupStore(readConfig(), options).finally(
      bar.end,
    );
    if (flags.json) {
      printJson({ file: target, bytes, sha256: checksum, schemaVersion, counts });
      return;
    }
    printCounts(counts);
    print(`\nBacked up to ${target}: ${describeBytes(bytes)}, checked and sealed.`);
  },
};
