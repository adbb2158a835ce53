// `import`: adds the animals of a file.

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

Reads FILE.csv (with a line of headings: name, categoryId and, if wanted, status; in any order, others are ignored) or
FILE.ndjson (one JSON object a line), in UTF-8. "-" is standard input, NDJSON unless --format says otherwise.
Every row is checked first by the rules of createPet. Where one is bad, nothing is written, and each bad one is named
with its line.

  --dry-run            check only
  --skip-bad           write the good rows although others are bad
  --map NAME=HEADING   headings of your own, such as --map name=Animal,categoryId=Kind
  --delimiter D        , ; | or tab; by default what the first line shows
  --format F           csv or ndjson; by default by the ending of the name
  --again              import a file once more that was imported before
  --json               print the result as JSON

An import that was cut off goes on where it was when it is run again: no animal is added twice. A file that was changed is
another file, and all its rows are added: put corrected rows into one of their own. It works while the service runs, and lets
its writes go first.`,
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
    // Loaded here and not above: no other command needs them.
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

/** What comes by standard input is needed twice: to be checked, and to be written. */
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
  // A heading may hold a comma: only one before the name of a member begins the next.
  for (const each of given.flatMap((text) => text.split(/,(?=(?:name|categoryId|status)=)/))) {
    const [name = "", heading = ""] = each.split(/=(.*)/s);
    if (heading.trim() === "") throw new UsageError("--map must be NAME=HEADING, such as name=Animal.");
    headings[readChoice("What --map names", name, MEMBERS)] = heading;
  }
  return headings;
}

function readDelimiter(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const names = Object.keys(DELIMITERS) as Array<keyof typeof DELIMITERS>;
  return DELIMITERS[readChoice("--delimiter", given === "\t" ? "tab" : given, names)];
}
