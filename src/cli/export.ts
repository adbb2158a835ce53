// `export`: writes animals to a file, or to standard output.

import { resolve } from "node:path";
import { readConfig } from "../config/config.ts";
import { PET_STATUSES } from "../domain/animals/pet.ts";
import { COMMAND } from "../tools/program.ts";
import { defineCommand, readChoice, SWITCH, TEXT, UsageError } from "./command.ts";
import { readDelimiter, readExcel, readFormat, STREAM } from "./files.ts";
import { print, printJson, untilRead } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

type Write = (text: string) => Promise<void>;

export const command = defineCommand({
  help: `Usage: ${COMMAND} export FILE [OPTIONS]

Writes a consistent snapshot of all animals, with their profiles and the addresses of their photos, to FILE.csv or
FILE.ndjson; "-" is standard output, as NDJSON unless --format is given. The file appears under its name when it is
complete. "import" reads it without the photos; in another store, the animals get new ids.

  --status S      only animals with this status: ${PET_STATUSES.join(", ")}
  --excel         CSV for Excel and other spreadsheets: letters such as ü are shown correctly, the columns categoryName
                  and shelterName are added, and text that begins like a formula gets an apostrophe in front
                  ("import --excel" removes it)
  --delimiter D   , ; | or tab between the fields of CSV; Excel expects ; where the decimal separator is a comma
  --format F      csv or ndjson; the default follows from the file name
  --force         replace an existing file
  --json          print the result as JSON`,
  options: { status: TEXT, format: TEXT, delimiter: TEXT, excel: SWITCH, force: SWITCH, json: SWITCH },
  positionals: ["FILE"],
  async run(flags, path = "") {
    if (path === STREAM && flags.json)
      throw new UsageError("--json needs a FILE: standard output is used for the animals.");
    const format = readFormat(path, flags.format);
    const delimiter = readDelimiter(flags.delimiter, format);
    const text = { format, delimiter, excel: readExcel(flags.excel, format) };
    const status =
      flags.status === undefined ? undefined : readChoice("--status", flags.status, PET_STATUSES);
    // Imported here because few commands need them.
    const { exportAnimals } = await import("../transfer/export/export.ts");
    const { refuseTarget } = await import("../transfer/target.ts");
    const { writeAtomically } = await import("../files/atomic-file.ts");
    const { explainingWrites } = await import("../files/write-errors.ts");
    const config = readConfig();
    const writeAll = (write: Write) =>
      withProgressBar((onProgress) => exportAnimals(config, { ...text, status, write, onProgress }));
    if (path === STREAM) return void (await writeAll(writeOutput));
    const place = resolve(path);
    refuseTarget(config, place, flags.force);
    const animals = await explainingWrites(place, () =>
      writeAtomically(place, (file) => writeAll((part) => file.appendFile(part))),
    );
    if (flags.json) printJson({ file: place, animals });
    else print(`Exported: ${animals} animals to ${place}.`);
  },
});

async function writeOutput(text: string): Promise<void> {
  process.stdout.write(text);
  await untilRead();
}
