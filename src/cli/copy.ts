// `copy`: copies all data to another database, for example from SQLite to PostgreSQL.

import { type Config, findAddressFault, readConfigWith } from "../config.ts";
import { COMMAND } from "../tools/program.ts";
import { copyStorage } from "../transfer/copy.ts";
import { type Command, missingOptions, readFlags, SWITCH, TEXT, UsageError } from "./command.ts";
import { print, printJson, printTable } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

export const copy: Command = {
  help: `Usage: ${COMMAND} copy --from sqlite:PATH --to postgres://USER:PASSWORD@HOST/NAME [--json]

Copies all data with its ids, either all of it or nothing, then compares row counts and checksums. Stop the service
first. The target must be empty. If REDIS_URL is set, request counts are also copied to Redis.`,
  async run(args) {
    const { flags } = readFlags(args, { from: TEXT, to: TEXT, json: SWITCH });
    const { from: source, to: target } = flags;
    if (source === undefined || target === undefined) throw missingOptions({ from: source, to: target });
    const from = readAddress("--from", source);
    const to = readAddress("--to", target);
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

function readAddress(option: string, address: string): Config {
  const fault = findAddressFault(address);
  if (fault !== undefined) throw new UsageError(`${option} ${fault}.`);
  return readConfigWith({ DATABASE_URL: address });
}
