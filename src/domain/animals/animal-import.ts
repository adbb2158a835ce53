// Imports of animals from a file: the settings, the report, and what an importer does.

import { exactJson } from "../../tools/exact-json.ts";
import type { ChangeOrigin } from "./history.ts";
import { type Listing, listingJson } from "./listing.ts";

export const DATE_ORDERS = ["auto", "dmy", "mdy", "ymd"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** All settings, as used: defaults are filled in. */
export interface ImportSettings {
  /** Member → heading, several headings, or null to ignore the column that would be taken. */
  map: Record<string, string | string[] | null>;
  dateOrder: DateOrder;
  /** ISO 4217, for fees without a currency. */
  currency?: string | undefined;
  /** The category of rows without one. */
  categoryId?: bigint | undefined;
  createCategories: boolean;
  /** `auto`, or an encoding of the command's --encoding. */
  encoding: string;
  /** `auto`, or a delimiter of the command's --delimiter. */
  delimiter: string;
  /** Import the good rows even if others are bad. */
  skipBad: boolean;
}

export interface ImportProblem {
  line: number;
  /** Absent if the problem is not in one cell. */
  heading?: string | undefined;
  value?: string | undefined;
  message: string;
}

export interface ImportColumn {
  heading: string;
  /** The member that was read from it; null if it is ignored. */
  member: string | null;
  /** In words, such as "date, day first". */
  readAs: string;
  /** Up to three different values. */
  samples: string[];
}

/** The numbers count rows of this request. */
export interface ImportReport {
  isDryRun: boolean;
  rows: number;
  added: number;
  updated: number;
  unchanged: number;
  bad: number;
  /** The first 100. */
  problems: ImportProblem[];
  columns: ImportColumn[];
  /** The first three animals as they would be. */
  preview: Listing[];
  settings: ImportSettings;
}

export interface ImportRequest {
  /** A file that does not change until the import has ended. */
  path: string;
  /** For the audit log. An upload has none. */
  name?: string | undefined;
  format: "csv" | "tsv" | "ndjson";
  settings: ImportSettings;
  isDryRun: boolean;
  origin: ChangeOrigin;
  /** Aborted when the client leaves: the current batch is completed, and the rest is not begun. */
  signal: AbortSignal;
  /** Rows that are done. Called for the first time after the whole file was checked. */
  onProgress(rows: number): void;
}

/** The report as clients and `import --json` see it. */
export function importReportJson(report: ImportReport, view: { nowMs: number; publicUrl: string }): string {
  const { preview, settings, ...rest } = report;
  const listings = preview.map((listing) => listingJson(listing, view));
  return `${exactJson(rest).slice(0, -1)},"preview":[${listings.join(",")}],"settings":${exactJson(settings)}}`;
}

/**
 * Checks the whole file, then writes it in batches. Rejects with ServiceError `invalid_file` (not such a file),
 * `invalid_parameter` (settings that do not fit the file) or `file_has_bad_rows` (without `skipBad`) before the first row is written,
 * and with the signal's reason when it is aborted.
 */
export type AnimalImporter = (request: ImportRequest) => Promise<ImportReport>;
