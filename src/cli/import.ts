// `import`: adds the animals of a CSV or NDJSON file.

import { createWriteStream, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../config.ts";
import { withTemporaryFiles } from "../tools/atomic-file.ts";
import { type Headings, MEMBERS } from "../transfer/files/columns.ts";
import { type Command, readChoice, readFlags, UsageError } from "./command.ts";
import { placeOf, readFormat, STREAM } from "./files.ts";
import { printImport, refuseBadRows } from "./import-result.ts";
import { createProgressBar } from "./progress-bar.ts";

const DELIMITERS = { ",": ",", ";": ";", "|": "|", tab: "\t" };

export const importCommand: Command = {
  name: "import",
  summary: "Add the animals of a CSV or NDJSON file.",
  help: `Usage: npm run -s animal-store -- import FILE [OPTIONS]

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
    const { flags, values } = readFlags(
      args,
      {
        "dry-run": { type: "boolean" },
        "skip-bad": { type: "boolean" },
        map: { type: "string", multiple: true },
        delimiter: { type: "string" },
        format: { type: "string" },
        again: { type: "boolean", default: false },
        json: { type: "boolean" },
      },
      ["FILE"],
    );
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
    const bar = createProgressBar();
    const onProgress = bar.show;
    await withInput(path, async (place) => {
      const file = await checkFile(place, options, onProgress).finally(bar.end);
      const isRefused = file.bad > 0 && !flags["skip-bad"];
      const outcome =
        isRefused || flags["dry-run"]
          ? undefined
          : await importFile(config, file, { again: flags.again, onProgress }).finally(bar.end);
      printImport(file, outcome, flags.json);
      if (isRefused) refuseBadRows(file);
    });
  },
};

/** Standard input is stored in a file, because it is read twice: to check it and to import it. */
async function withInput(path: string, work: (place: string) => Promise<void>): Promise<void> {
  if (path !== STREAM) return work(placeOf(path));
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
