// Schemas of imports.

import { DATE_ORDERS, type ImportSettings as Settings } from "../../domain/animals/animal-import.ts";
import { IMPORT_SETTINGS_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { LISTED_REX, Listing } from "./listings.ts";
import { identifier } from "./members.ts";
import { Type } from "./type.ts";

const SETTINGS = { map: { externalId: "Number" }, categoryId: 3 };

const Heading = Type.String({ description: "A heading of the file." });

export const ImportSettings = Type.Unsafe<Partial<Settings>>(
  Type.Named("ImportSettings", "How the file of an import is read. Every setting is optional.", [SETTINGS], {
    map: Type.Optional(
      Type.Map(Type.String(), Type.Union([Heading, Type.Array(Heading), Type.Null()]), {
        "x-allowed":
          "an object of members, each with a heading, a list of headings, or null to ignore its column",
        description:
          "The heading of a member, or a list of headings for `breeds`, `colors` and `tags`; `null` ignores the column that would be read. Other members are recognised by their headings. Members are the columns of an export except `id` and `photos`, and also `fee`, `age` and `custom.NAME`.",
      }),
    ),
    dateOrder: Type.Optional(
      Type.Enum(DATE_ORDERS, {
        description:
          "The order of day, month and year. `auto` decides for each column by all its cells; a column that fits two orders is a problem.",
      }),
    ),
    currency: Type.Optional(
      Type.String({
        pattern: "^[A-Z]{3}$",
        "x-allowed": "a currency code of ISO 4217, such as EUR",
        description: "Currency code of ISO 4217 for fees without one.",
      }),
    ),
    categoryId: Type.Optional(identifier("The category of rows without one.", 3)),
    createCategories: Type.Optional(
      Type.Boolean({ description: "Creates missing categories, by their name or by species." }),
    ),
    encoding: Type.Optional(Type.String({ description: "`auto`, or an encoding, such as `windows-1252`." })),
    delimiter: Type.Optional(Type.String({ description: "`auto`, or one of `,` `;` `|` `tab`." })),
    skipBad: Type.Optional(Type.Boolean({ description: "Imports the good rows even if others are bad." })),
  }),
);

const ImportProblem = Type.Named("ImportProblem", "Why a row cannot be imported.", [], {
  line: Type.Integer({ description: "The line of the file in which the row begins, from 1." }),
  heading: Type.Optional(Type.Described(Heading, "The column; absent if the problem is not in one cell.")),
  value: Type.Optional(Type.String({ description: "The value of the cell." })),
  message: Type.String({ description: "The fault, and the values that are allowed." }),
});

const ImportColumn = Type.Named("ImportColumn", "How a column of the file was read.", [], {
  heading: Heading,
  member: Type.Nullable(Type.String({ description: "The member that was read; `null`: it is ignored." })),
  readAs: Type.String({ description: "In words, such as `date, day first`." }),
  samples: Type.Array(Type.String(), { description: "Up to three different values." }),
});

const count = (description: string) => Type.Integer({ description });

const REPORT = {
  isDryRun: true,
  rows: 2,
  added: 0,
  updated: 1,
  unchanged: 0,
  bad: 1,
  problems: [{ line: 3, heading: "Sex", value: "tom", message: "sex must be one of male, female, unknown" }],
  columns: [
    { heading: "Name", member: "name", readAs: "text", samples: ["Rex III", "Minka"] },
    { heading: "Number", member: "externalId", readAs: "text", samples: ["A-2041", "A-2042"] },
    { heading: "Sex", member: "sex", readAs: "word for sex", samples: ["m", "tom"] },
    { heading: "Chip", member: null, readAs: "ignored", samples: ["276098106", "276098107"] },
  ],
  preview: [{ ...LISTED_REX, name: "Rex III" }],
  settings: {
    ...SETTINGS,
    dateOrder: "auto",
    createCategories: false,
    encoding: "utf-8",
    delimiter: ";",
    skipBad: false,
  },
};

export const ImportReport = Type.Named(
  "ImportReport",
  "The result of an import. The numbers count rows of this request.",
  [REPORT],
  {
    isDryRun: Type.Boolean({ description: "Whether nothing was written." }),
    rows: count("Rows of the file."),
    added: count("Rows whose animal was added, or would be in a dry run."),
    updated: count("Rows that changed a known animal."),
    unchanged: count("Rows that changed nothing."),
    bad: count("Rows with a problem."),
    problems: Type.Array(ImportProblem, { description: "The first 100." }),
    columns: Type.Array(ImportColumn, { description: "The columns of the file; of NDJSON, its members." }),
    preview: Type.Array(Listing, { description: "The first three animals as they would be." }),
    settings: Type.Described(ImportSettings, "All settings, as they were used."),
  },
);

export const ImportQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: "Checks the file and writes nothing.", examples: [true] }),
  ),
  progress: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Sends the progress every second, as lines of NDJSON.",
      examples: [false],
    }),
  ),
  settings: Type.Optional(
    Type.String({
      contentMediaType: "application/json",
      contentSchema: ImportSettings,
      description: `A JSON object of at most ${IMPORT_SETTINGS_BYTES_MAX / 1024} KiB before it is encoded for the URL.`,
      examples: [JSON.stringify(SETTINGS)],
    }),
  ),
});

export const IMPORT_COMPONENTS = [ImportReport, ImportSettings, ImportProblem, ImportColumn];
