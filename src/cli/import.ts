// `import`: adds the animals of a CSV or NDJSON file, or changes those it knows.

import { createWriteStream, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { readConfig } from "../config/config.ts";
import { withTemporaryFiles } from "../files/atomic-file.ts";
import { COMMAND } from "../tools/program.ts";
import { type Headings, MEMBERS, PET_MEMBERS, PHOTOS } from "../transfer/formats/columns.ts";
import { ENCODINGS } from "../transfer/formats/encodings.ts";
import { PROFILE_COLUMNS } from "../transfer/formats/profile-cells.ts";
import { type Command, readChoice, readFlags, SWITCH, TEXT, UsageError } from "./command.ts";
import { readDelimiter, readExcel, readFormat, STREAM } from "./files.ts";
import { printImport, refuseBadRows } from "./import-result.ts";
import { wrapText } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

const FLAGS = {
  "dry-run": SWITCH,
  "skip-bad": SWITCH,
  again: SWITCH,
  json: SWITCH,
  "create-categories": SWITCH,
  excel: SWITCH,
  map: { type: "string", multiple: true },
  delimiter: TEXT,
  encoding: TEXT,
  format: TEXT,
  photos: TEXT,
} as const;

export const command: Command = {
  help: `Usage: ${COMMAND} import FILE [OPTIONS]

Reads FILE.csv (with a heading line: name, categoryId or categoryName, and optionally status and the members of a
profile, in any order) or FILE.ndjson (one JSON object per line, its profile nested). "-" is standard input, as NDJSON
unless --format is given. The result names columns that are not read. All rows are first checked by the rules of
createPet and updateProfile. If a row is bad, nothing is written, and every bad row is listed with its line.

Columns of a profile:
${wrapText(PROFILE_COLUMNS.join(", "), 100)
  .map((line) => `  ${line}`)
  .join("\n")}
Lists are written as "calm; shy". A row with the externalId of an animal changes that animal, only in the columns of
the file; an empty cell removes its member of the profile.

  --dry-run            check only, and say how many animals would be added and changed; also looks for photo files
  --skip-bad           import the valid rows even if others are bad
  --create-categories  create the categories of categoryName that do not exist; each gets the next free id
  --photos FOLDER      add the photos whose files the column photos names, such as "rex-1.jpg; rex-2.jpg", from FOLDER;
                       without it, the column is ignored
  --map NAME=HEADING   use other headings, such as --map name=Animal,categoryName=Kind
  --encoding E         ${ENCODINGS.join(", ")}; detected by default, and shown in the result
  --delimiter D        , ; | or tab; by default it is detected from the first line
  --excel              remove the apostrophes that "export --excel" has put in front of names such as =A1
  --format F           csv or ndjson; the default follows from the file name
  --again              import a file again that was imported before
  --json               print the result as JSON

From Excel, save the table as "CSV UTF-8"; plain "CSV" and "Unicode Text" can be read, too.
An interrupted import continues when it is run again: no animal is added twice. A changed file counts as a new file, and
all its rows without a known externalId are added: put corrected rows into a separate file. The import works while the
service runs and gives way to its writes.`,
  async run(args) {
    const { flags, values } = readFlags(args, FLAGS, ["FILE"]);
    const [path = ""] = values;
    const format = readFormat(path, flags.format);
    const options = {
      format,
      headings: readHeadings(flags.map ?? [], [
        ...(format === "csv" ? MEMBERS : PET_MEMBERS),
        ...(flags.photos === undefined ? [] : [PHOTOS as Member]),
      ]),
      delimiter: readDelimiter(flags.delimiter, format),
      encoding:
        flags.encoding === undefined ? undefined : readChoice("--encoding", flags.encoding, ENCODINGS),
      excel: readExcel(flags.excel, format),
    };
    // Imported here because no other command needs them.
    const { checkFile } = await import("../transfer/import/check-file.ts");
    const { importFile, openForCheck } = await import("../transfer/import/import.ts");
    const { openPhotoFolder } = await import("../transfer/import/photo-folder.ts");
    const config = readConfig();
    const folder = flags.photos === undefined ? undefined : openPhotoFolder(flags.photos);
    await withInput(path, async (place) => {
      const { readCategories, findKnown, close } = openForCheck(config);
      const categories = { load: readCategories, create: flags["create-categories"] };
      const file = await withProgressBar((onProgress) =>
        checkFile(place, options, { categories, findKnown, folder, onProgress }),
      ).finally(close);
      const { again, "skip-bad": skipBad, "dry-run": dryRun } = flags;
      const isRefused = () => file.badLines.size > 0 && !skipBad;
      const outcome =
        isRefused() || dryRun || file.rows === 0
          ? undefined
          : await withProgressBar((onProgress) =>
              importFile(config, file, { name: basename(path), again, skipBad, onProgress }),
            );
      printImport(file, outcome, flags.json);
      if (isRefused()) refuseBadRows(file);
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

type Member = keyof Headings;

/** For --map, with the members that it may name. */
function readHeadings(given: string[], members: Member[]): Headings {
  const headings: Headings = {};
  // A heading may contain a comma. Only a comma before the name of a member separates two entries.
  const comma = new RegExp(`,(?=(?:${[...MEMBERS, PHOTOS].map(RegExp.escape).join("|")})=)`);
  for (const each of given.flatMap((text) => text.split(comma))) {
    const [name = "", heading = ""] = each.split(/=(.*)/s);
    if (heading.trim() === "") throw new UsageError("--map must be NAME=HEADING, such as name=Animal.");
    headings[readChoice("The name in --map", name, members)] = heading;
  }
  return headings;
}
