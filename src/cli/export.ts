// `export`: writes animals to a file, or to standard output.

import { resolve } from "node:path";
import { readConfig } from "../config.ts";
import { PET_STATUSES } from "../domain/pet.ts";
import { COMMAND } from "../tools/program.ts";
import { type Command, readChoice, readFlags, SWITCH, TEXT, UsageError } from "./command.ts";
import { readFormat, STREAM } from "./files.ts";
import { print, printJson, untilRead } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

type Write = (text: string) => Promise<void>;

export const exportCommand: Command = {
  name: "export",
  summary: "Write the animals to a CSV or NDJSON file.",
  help: `Usage: ${COMMAND} export FILE [--status S] [--format csv|ndjson] [--force] [--json]

Writes a consistent snapshot of all animals to FILE.csv or FILE.ndjson; "-" is standard output, as NDJSON unless --format
is given. The file appears under its name when it is complete. "import" reads it; the animals then get new ids.

  --status S   only animals with this status: ${PET_STATUSES.join(", ")}
  --format F   csv or ndjson; the default follows from the file name
  --force      replace an existing file
  --json       print the result as JSON`,
  async run(args) {
    const options = { status: TEXT, format: TEXT, force: SWITCH, json: SWITCH };
    const { flags, values } = readFlags(args, options, ["FILE"]);
    const [path = ""] = values;
    if (path === STREAM && flags.json)
      throw new UsageError("--json needs a FILE: standard output is used for the animals.");
    const format = readFormat(path, flags.format);
    const status =
      flags.status === undefined ? undefined : readChoice("--status", flags.status, PET_STATUSES);
    // Imported here because few commands need them.
    const { exportAnimals } = await import("../transfer/export.ts");
    const { refuseTarget } = await import("../transfer/target.ts");
    const { writeAtomically } = await import("../tools/atomic-file.ts");
    const config = readConfig();
    const writeAll = (write: Write) =>
      withProgressBar((onProgress) => exportAnimals(config, { format, status, write, onProgress }));
    if (path === STREAM) return void (await writeAll(writeOutput));
    const place = resolve(path);
    refuseTarget(config, place, flags.force);
    const animals = await writeAtomically(place, (file) => writeAll((text) => file.appendFile(text)));
    if (flags.json) printJson({ file: place, animals });
    else print(`Exported: ${animals} animals to ${place}.`);
  },
};

async function writeOutput(text: string): Promise<void> {
  process.stdout.write(text);
  await untilRead();
}
