// `copy`: copies all data to another database, for example from SQLite to PostgreSQL.

import { type Config, findAddressFault, readConfig, readConfigWith } from "../config/config.ts";
import { COMMAND } from "../tools/program.ts";
import { type CopyEnd, copyStorage } from "../transfer/copy.ts";
import { defineCommand, SWITCH, TEXT, UsageError } from "./command.ts";
import { print, printJson, printTable } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

export const command = defineCommand({
  help: `Usage: ${COMMAND} copy [--from sqlite:PATH] [--to postgres://USER@HOST/NAME] [--json]

Copies all data with its ids, either all of it or nothing, then compares row counts and checksums. Stop the service
first. The target must be empty. If REDIS_URL is set, request counts are also copied to Redis.

  --from   the database to copy; by default DATABASE_URL
  --to     the database to copy to; by default COPY_TARGET_URL
  --json   print the result as JSON

Other users see options in the process list: put an address with a password into the variables, or into .env.`,
  options: { from: TEXT, to: TEXT, json: SWITCH },
  async run(flags) {
    const { database, copyTarget } = readConfig();
    if (flags.to === undefined && copyTarget === undefined)
      throw new UsageError("--to is missing, and COPY_TARGET_URL is not set.");
    const from = readEnd({ option: "--from", variable: "DATABASE_URL" }, flags.from, database);
    const to = readEnd({ option: "--to", variable: "COPY_TARGET_URL" }, flags.to, copyTarget ?? database);
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
});

/** The option wins over the variable. */
function readEnd(
  { option, variable }: { option: string; variable: string },
  given: string | undefined,
  database: Config["database"],
): CopyEnd {
  if (given === undefined) return { name: variable, config: { ...readConfig(), database } };
  const fault = findAddressFault(given);
  if (fault !== undefined) throw new UsageError(`${option} ${fault}.`);
  return { name: option, config: readConfigWith({ DATABASE_URL: given }) };
}
