// `copy`: copies all data to another database, for example from SQLite to PostgreSQL.

import { readConfigWith } from "../config.ts";
import { COMMAND } from "../tools/program.ts";
import { copyStorage } from "../transfer/copy.ts";
import { type Command, readFlags, SWITCH, TEXT, UsageError } from "./command.ts";
import { print, printJson, printTable } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

export const copy: Command = {
  help: `Usage: ${COMMAND} copy --from sqlite:PATH --to postgres://USER:PASSWORD@HOST/NAME [--json]

Copies all data with its ids, either all of it or nothing, then compares row counts and checksums. Stop the service
first. The target must be empty. If REDIS_URL is set, request counts are also copied to Redis.`,
  async run(args) {
    const { flags } = readFlags(args, { from: TEXT, to: TEXT, json: SWITCH });
    if (flags.from === undefined) throw new UsageError("--from is missing.");
    if (flags.to === undefined) throw new UsageError("--to is missing.");
    const from = readConfigWith({ DATABASE_URL: flags.from });
    const to = readConfigWith({ DATABASE_URL: flags.to });
    const copied = await withProgressBar((show) =>
      copyStorage(from, to, (done, total) => show(done, total, "rows")),
    );
    if (flags.json) return printJson(copied);
    printTable(
      ["TABLE", "ROWS", "SHA-256"],
      copied.map(({ table, rows, checksum }) => [table, String(rows), checksum]),
    );
    print("\nBoth databases have the same content.");
  },
};
