// `export`: writes animals to a file, or to standard output.

import { once } from "node:events";
import { readConfig } from "../config.ts";
import { PET_STATUSES } from "../domain/pet.ts";
import { type Command, readChoice, readFlags, UsageError } from "./command.ts";
import { placeOf, readFormat, STREAM } from "./files.ts";
import { print, printJson } from "./output.ts";
import { createProgressBar } from "./progress-bar.ts";

type Write = (text: string) => Promise<void>;

export const exportCommand: Command = {
  name: "export",
  summary: "Write the animals to a CSV or NDJSON file.",
  help: `Usage: npm run -s animal-store -- export FILE [--status S] [--format csv|ndjson] [--force] [--json]

Writes a consistent snapshot of all animals to FILE.csv or FILE.ndjson; "-" is standard output, as NDJSON unless --format
is given. The file appears under its name when it is complete. "import" reads it; the animals then get new ids.

  --status S   only animals with this status: ${PET_STATUSES.join(", ")}
  --format F   csv or ndjson; the default follows from the file name
  --force      replace an existing file
  --json       print the result as JSON`,
  async run(args) {
    const { flags, values } = readFlags(
      args,
      {
        status: { type: "string" },
        format: { type: "string" },
        force: { type: "boolean", default: false },
        json: { type: "boolean" },
      },
      ["FILE"],
    );
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
    const bar = createProgressBar();
    const writeAll = (write: Write) =>
      exportAnimals(config, { format, status, write, onProgress: bar.show }).finally(bar.end);
    if (path === STREAM) {
      await writeAll(writeOutput);
      return;
    }
    const place = placeOf(path);
    refuseTarget(config, place, flags.force);
    const animals = await writeAtomically(place, (file) => writeAll((text) => file.appendFile(text)));
    if (flags.json) printJson({ file: place, animals });
    else print(`Exported: ${animals} animals to ${place}.`);
  },
};

/** Waits for a slow reader, so that the output does not fill the memory. */
async function writeOutput(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
