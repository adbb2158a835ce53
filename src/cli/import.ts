// `import`: adds the animals of a CSV or NDJSON file, or changes those it knows.

import { createWriteStream, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { withDatabase } from "../command-stores.ts";
import { type Config, readConfig } from "../config/config.ts";
import { DATE_ORDERS, type ImportRequest, type ImportSettings } from "../domain/animals/animal-import.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { parseInt64 } from "../domain/basics/int64.ts";
import { withTemporaryFiles } from "../files/atomic-file.ts";
import { COMMAND } from "../tools/program.ts";
import { DELIMITERS } from "../transfer/formats/csv-text.ts";
import { ENCODINGS } from "../transfer/formats/encodings.ts";
import type { FileFormat } from "../transfer/formats/file-records.ts";
import { MEMBERS, PHOTOS } from "../transfer/formats/find-columns.ts";
import type { CommandOptions } from "../transfer/import/importer.ts";
import type { PhotoSource } from "../transfer/import/photo-folder.ts";
import { withBadRows } from "./bad-rows.ts";
import { choice, defineCommand, type Flags, option, SWITCH, TEXT, UsageError } from "./command.ts";
import { readDelimiter, readExcel, readFormat, STREAM } from "./files.ts";
import { printImport } from "./import-result.ts";
import { wrapText } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

const MANY = { type: "string", multiple: true } as const;
const OPTIONS = {
  "dry-run": SWITCH,
  "skip-bad": SWITCH,
  again: SWITCH,
  json: SWITCH,
  "create-categories": SWITCH,
  excel: SWITCH,
  map: MANY,
  ignore: MANY,
  "date-order": choice(DATE_ORDERS),
  currency: option(readCurrency),
  category: option(readCategory),
  delimiter: TEXT,
  encoding: choice(ENCODINGS),
  format: TEXT,
  photos: TEXT,
  "photos-from-urls": SWITCH,
  "bad-rows": TEXT,
} as const;

export const command = defineCommand({
  help: `Usage: ${COMMAND} import FILE [OPTIONS]

Reads FILE.csv (with a heading line) or FILE.ndjson (one JSON object per line, its profile nested). "-" is standard
input, as NDJSON unless --format is given. Headings are recognised in English and German and as ASM3, Petfinder and
Shelterluv export them; the result shows how each column was read. Values are read as people write them: yes, ja or 1;
male, m or männlich; 1.4.2023 or 2023-04-01; 3 years 2 months; 150,00 €. All rows are first checked by the rules of
createPet and updateProfile. If a row is bad, nothing is written, and the bad rows are listed with their lines.

Members of an animal, which are columns:
${wrapText(`${MEMBERS.join(", ")}, custom.NAME`, 100)
  .map((line) => `  ${line}`)
  .join("\n")}
Lists are written as "calm; shy". A row with the externalId of an animal changes that animal, only in the columns of
the file; an empty cell leaves its member as it is.

  --dry-run              check only, and show what would be added and changed; also looks for photo files
  --skip-bad             import the good rows even if others are bad
  --bad-rows FILE        write the bad rows to FILE as CSV, with the reasons in the first column
  --map MEMBER=HEADING   read the member from this column, such as --map name=Animal,categoryName=Kind; several times
                         for a list, such as --map "breeds=Breed A" --map "breeds=Breed B"
  --ignore HEADING       do not read this column
  --date-order O         ${DATE_ORDERS.join(", ")}: the order of dates such as 4/1/2023; auto, the default, looks at all
                         dates of a column
  --currency CODE        the currency of fees without one, such as EUR
  --category ID          the category of new animals without one
  --create-categories    create missing categories: by name, or by species ("Dogs"); each gets the next free id
  --photos FOLDER        add the photos whose files in FOLDER the column photos names, such as "rex-1.jpg; rex-2.jpg";
                         without it, the column is ignored
  --photos-from-urls     add the photos at the addresses in the column photos, as an export of another service has them:
                         https, at most 12 MiB each, no redirects; WEBHOOK_ALLOW permits addresses of private networks
  --encoding E           ${ENCODINGS.join(", ")}; detected by default
  --delimiter D          , ; | or tab; by default it is detected from the first line
  --excel                remove the apostrophes that "export --excel" has put in front of names such as =A1
  --format F             csv or ndjson; the default follows from the file name
  --again                import a file again that was imported before
  --json                 print the result as JSON, as POST /v1/imports answers

From Excel, save the table as "CSV UTF-8"; plain "CSV" and "Unicode Text" can be read, too.
An interrupted import continues when it is run again: no animal is added twice. Rows that --skip-bad has skipped are
tried again when the same file is imported again, also with other options. A changed file counts as a new file, and
all its rows without a known externalId are added: put corrected rows into a separate file, such as the one of
--bad-rows. The import works while the service runs and gives way to its writes.`,
  options: OPTIONS,
  positionals: ["FILE"],
  async run(flags, path = "") {
    const format = readFormat(path, flags.format);
    const settings = readSettings(flags, format);
    const excel = readExcel(flags.excel, format);
    // Imported here because no other command needs them.
    const { importAnimals } = await import("../transfer/import/importer.ts");
    const { ROWS_PER_TRANSACTION } = await import("../transfer/import/pace.ts");
    const config = readConfig();
    const photoSource = await openPhotos(flags, config);
    const { ignore, again } = flags;
    await withInput(path, async (place) => {
      const request: ImportRequest = {
        path: place,
        name: basename(path),
        format,
        settings,
        isDryRun: flags["dry-run"],
        origin: { atMs: systemClock.nowMs() },
        signal: new AbortController().signal,
        onProgress: () => {},
      };
      const run = (onBadRow: CommandOptions["onBadRow"]) =>
        withDatabase(config, ({ db, gate }) =>
          withProgressBar((onStep) =>
            importAnimals(db, request, {
              clock: systemClock,
              changed: async (version) => gate?.publishPetsVersion(version),
              batchRows: ROWS_PER_TRANSACTION,
              ignore,
              excel,
              again,
              photoSource,
              onBadRow,
              onStep,
            }),
          ),
        );
      const result = await withBadRows(flags["bad-rows"], { excel, config }, run);
      printImport(result, flags.json, config.publicUrl ?? "");
    });
  },
});

async function openPhotos(flags: Flags<typeof OPTIONS>, config: Config): Promise<PhotoSource | undefined> {
  const { photos, "photos-from-urls": fromUrls } = flags;
  if (fromUrls && photos !== undefined)
    throw new UsageError("--photos and --photos-from-urls are for different files: give one of them.");
  if (fromUrls) return (await import("./photo-urls.ts")).openPhotoUrls(config);
  if (photos === undefined) return undefined;
  return (await import("../transfer/import/photo-folder.ts")).openPhotoFolder(photos);
}

function readSettings(flags: Flags<typeof OPTIONS>, format: FileFormat): ImportSettings {
  const delimiter = readDelimiter(flags.delimiter, format);
  const names = Object.entries(DELIMITERS);
  return {
    map: readMap(flags.map ?? []),
    dateOrder: flags["date-order"] ?? "auto",
    currency: flags.currency,
    categoryId: flags.category,
    createCategories: flags["create-categories"],
    encoding: flags.encoding ?? "auto",
    delimiter: names.find(([, each]) => each === delimiter)?.[0] ?? "auto",
    skipBad: flags["skip-bad"],
  };
}

function readCurrency(text: string, flag: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new UsageError(`${flag} must be a currency code, such as EUR.`);
}

function readCategory(text: string, flag: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new UsageError(`${flag} must be the id of a category.`);
  return id;
}

/** Standard input is stored in a file, because it is read several times. */
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

/** A member that is given several times is a list of headings. */
function readMap(given: string[]): ImportSettings["map"] {
  const map: Record<string, string[]> = {};
  // A heading may contain a comma. Only a comma before the name of a member separates two entries.
  const members = [...MEMBERS, PHOTOS].map(RegExp.escape).join("|");
  const comma = new RegExp(`,(?=(?:${members}|custom\\.[A-Za-z0-9]{1,40})=)`);
  for (const each of given.flatMap((text) => text.split(comma))) {
    const [name = "", heading = ""] = each.split(/=(.*)/s);
    if (heading.trim() === "") throw new UsageError("--map must be MEMBER=HEADING, such as name=Animal.");
    map[name] = [...(map[name] ?? []), heading];
  }
  return Object.fromEntries(
    Object.entries(map).map(([name, headings]) => [
      name,
      headings.length === 1 ? (headings[0] as string) : headings,
    ]),
  );
}
