// `export`: writes animals to a file, to standard output, or as files for an aggregator.

import { resolve } from "node:path";
import { readConfig } from "../config/config.ts";
import { AGGREGATORS } from "../domain/animals/aggregator.ts";
import { PET_STATUSES } from "../domain/animals/pet.ts";
import { parseInt64 } from "../domain/basics/int64.ts";
import { COMMAND } from "../tools/program.ts";
import { FILE_FORMATS } from "../transfer/formats/file-records.ts";
import { choice, defineCommand, option, readChoice, SWITCH, TEXT, UsageError } from "./command.ts";
import { exportForAggregator } from "./export-aggregator.ts";
import { readDelimiter, readExcel, readFormat, STREAM } from "./files.ts";
import { print, printJson, untilRead } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

type Write = (text: string) => Promise<void>;

/** The options of only one kind of format. */
const OF_FILES = ["status", "delimiter", "excel", "force"] as const;
const OF_AGGREGATORS = ["out", "shelter", "skip", "dry-run"] as const;
const NAMES = AGGREGATORS.join(", ");

export const command = defineCommand({
  help: `Usage: ${COMMAND} export FILE [OPTIONS]
       ${COMMAND} export --format ${AGGREGATORS.join("|")} --out FOLDER [OPTIONS]

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
  --json          print the result as JSON

The formats ${NAMES} are the files that these sites read: petfinder.csv; pets.csv,
import.cfg and photos/; rescuegroups.csv. They replace older ones. The sites delete what a file does not contain, so
nothing is written if an animal lacks species, breed or sex, or has a name that is too long there.

  --out FOLDER    where the files are written
  --shelter ID    only animals of this shelter
  --skip          leave out animals that cannot be expressed
  --dry-run       write nothing; lists the animals that cannot be expressed, and exits with 1 if there are any`,
  options: {
    status: TEXT,
    format: choice([...FILE_FORMATS, ...AGGREGATORS]),
    delimiter: TEXT,
    excel: SWITCH,
    force: SWITCH,
    json: SWITCH,
    out: TEXT,
    shelter: option(readId),
    skip: SWITCH,
    "dry-run": SWITCH,
  },
  positionals: ["[FILE]"],
  async run(flags, path) {
    const { out, shelter, skip, "dry-run": isDryRun, json: asJson } = flags;
    const aggregator = AGGREGATORS.find((each) => each === flags.format);
    const isGiven = (name: keyof typeof flags) => flags[name] !== undefined && flags[name] !== false;
    const other = (aggregator === undefined ? OF_AGGREGATORS : OF_FILES).find(isGiven);
    if (aggregator !== undefined) {
      if (other !== undefined) throw new UsageError(`--${other} is not for --format ${aggregator}.`);
      if (path !== undefined) throw new UsageError("The files have fixed names: give a folder with --out.");
      return exportForAggregator(aggregator, { out, shelter, skip, isDryRun, asJson });
    }
    if (other !== undefined) throw new UsageError(`--${other} needs --format with one of ${NAMES}.`);
    if (path === undefined) throw new UsageError("FILE is missing.");
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

function readId(text: string, flag: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new UsageError(`${flag} must be the id of a shelter.`);
  return id;
}
