// `import`: adds the animals of a CSV or NDJSON file.

import { createWriteStream, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readConfig } from "../config.ts";
import { withTemporaryFiles } from "../tools/atomic-file.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { COMMAND } from "../tools/program.ts";
import type { CheckedFile } from "../transfer/check-file.ts";
import { type Headings, MEMBERS } from "../transfer/files/columns.ts";
import type { ImportOutcome } from "../transfer/import.ts";
import { type Command, readChoice, readFlags, SWITCH, TEXT, UsageError } from "./command.ts";
import { readFormat, STREAM } from "./files.ts";
import { print, printJson, printTable } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

const DELIMITERS = { ",": ",", ";": ";", "|": "|", tab: "\t" };

const FLAGS = {
  ...{ "dry-run": SWITCH, "skip-bad": SWITCH, again: SWITCH, json: SWITCH },
  map: { type: "string", multiple: true },
  ...{ delimiter: TEXT, format: TEXT },
} as const;

export const importCommand: Command = {
  name: "import",
  summary: "Add the animals of a CSV or NDJSON file.",
  help: `Usage: ${COMMAND} import FILE [OPTIONS]

Reads FILE.csv (with a heading line: name, categoryId and optionally status, in any order; other columns are ignored) or
FILE.ndjson (one JSON object per line), in UTF-8. "-" is standard input, as NDJSON unless --format is given.
All rows are first checked by the rules of createPet. If a row is bad, nothing is written, and every bad row is listed
with its line.

  --dry-run            check only
  --skip-bad           import the valid rows even if others are bad
  --map NAME=HEADING   use other headings, such as --map name=Animal,categoryId=Kind
  --delimiter D        , ; | or tab; by default it is detected from the first line
  --format F           csv or ndjson; the default follows from the file name
  --again              import a file again that was imported before
  --json               print the result as JSON

An interrupted import continues when it is run again: no animal is added twice. A changed file counts as a new file, and
all its rows are added: put corrected rows into a separate file. The import works while the service runs and gives way to
its writes.`,
  async run(args) {
    const { flags, values } = readFlags(args, FLAGS, ["FILE"]);
    const [path = ""] = values;
    const options = {
      format: readFormat(path, flags.format),
      headings: readHeadings(flags.map ?? []),
      delimiter: readDelimiter(flags.delimiter),
    };
    // Imported here because no other command needs them.
    const { checkFile } = await import("../transfer/check-file.ts");
    const { importFile } = await import("../transfer/import.ts");
    const config = readConfig();
    await withInput(path, async (place) => {
      const file = await withProgressBar((onProgress) => checkFile(place, options, onProgress));
      const isRefused = file.bad > 0 && !flags["skip-bad"];
      const outcome =
        isRefused || flags["dry-run"]
          ? undefined
          : await withProgressBar((onProgress) =>
              importFile(config, file, { again: flags.again, onProgress }),
            );
      printImport(file, outcome, flags.json);
      if (isRefused) refuseBadRows(file);
    });
  },
};

/** Standard input is stored in a file, because it is read twice: to check it and to import it. */
async function withInput(path: string, work: (place: string) => Promise<void>): Promise<void> {
  if (path !== STREAM) return work(resolve(path));
  const folder = mkdtempSync(join(tmpdir(), "animal-store-"));
  const place = join(folder, "input");
  await withTemporaryFiles([folder], async () => {
    const { pipeline } = await import("node:stream/promises");
    await pipeline(process.stdin, createWriteStream(place, { mode: 0o600 }));
    await work(place);
  });
}

function readHeadings(given: string[]): Headings {
  const headings: Headings = {};
  // A heading may contain a comma. Only a comma before the name of a member separates two entries.
  for (const each of given.flatMap((text) => text.split(/,(?=(?:name|categoryId|status)=)/))) {
    const [name = "", heading = ""] = each.split(/=(.*)/s);
    if (heading.trim() === "") throw new UsageError("--map must be NAME=HEADING, such as name=Animal.");
    headings[readChoice("The name in --map", name, MEMBERS)] = heading;
  }
  return headings;
}

function readDelimiter(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const names = Object.keys(DELIMITERS) as Array<keyof typeof DELIMITERS>;
  return DELIMITERS[readChoice("--delimiter", given === "\t" ? "tab" : given, names)];
}

/** `outcome` is undefined if nothing was written. */
function printImport(
  { rows, bad, badRows }: CheckedFile,
  outcome: ImportOutcome | undefined,
  asJson: boolean,
): void {
  if (asJson) {
    const { pets = 0, firstId, lastId, continuedAfter } = outcome ?? {};
    const result =
      outcome === undefined ? "nothing written" : outcome.wasDone ? "imported before" : "imported";
    printJson({ result, rows, bad, badRows, animals: pets, firstId, lastId, continuedAfter });
    return;
  }
  if (badRows.length > 0) {
    printTable(
      ["LINE", "PROBLEM"],
      badRows.map(({ line, problem }) => [String(line), problem]),
    );
    print(bad > badRows.length ? `… and ${bad - badRows.length} more\n` : "");
  }
  if (outcome !== undefined) print(describeOutcome(outcome, bad));
  else if (bad === 0) print(`${count(rows, "row")}, all valid. Nothing was written.`);
  else print(`${count(rows, "row")}, ${rows - bad} of them valid. Nothing was written.`);
}

function describeOutcome(outcome: ImportOutcome, badRows: number): string {
  const { wasDone, continuedAfter, pets, firstId, lastId, finishedAtMs = 0 } = outcome;
  const animals = `${count(pets, "animal")}${pets === 0 ? "" : `, with ids from ${firstId} to ${lastId}`}`;
  if (wasDone) {
    const day = new Date(finishedAtMs).toISOString();
    return `This file was imported before, at ${day}: ${animals}. Nothing was added; --again imports it once more.`;
  }
  const continued =
    continuedAfter === 0
      ? ""
      : ` It continued after row ${continuedAfter}, where the last attempt was interrupted.`;
  const skipped = badRows === 0 ? "" : ` Skipped: ${count(badRows, "bad row")}.`;
  return `Imported: ${animals}.${continued}${skipped}`;
}

function refuseBadRows({ rows, bad }: CheckedFile): never {
  const advice =
    bad === rows
      ? "Check the file and --map."
      : "Correct the file, or import the other rows with --skip-bad.";
  throw new OperatorError(
    `${bad} of ${count(rows, "row")} cannot be imported, so nothing was imported. ${advice}`,
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
