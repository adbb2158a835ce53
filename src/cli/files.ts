// The format and the delimiter of a file that a command reads or writes.

import { extname } from "node:path";
import { DELIMITERS } from "../transfer/formats/csv-text.ts";
import { FILE_FORMATS, type FileFormat } from "../transfer/formats/file-records.ts";
import { readChoice, UsageError } from "./command.ts";

/** Standard input or output. */
export const STREAM = "-";

const ENDINGS: Record<string, FileFormat> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

const SPREADSHEETS = [".xlsx", ".xls", ".xlsm", ".ods", ".numbers"];

/** From --format or the extension of the file. The default for a stream is NDJSON. */
export function readFormat(path: string, given: string | undefined): FileFormat {
  if (given !== undefined) return readChoice("--format", given, FILE_FORMATS);
  const ending = extname(path).toLowerCase();
  if (SPREADSHEETS.includes(ending))
    throw new UsageError(`"${path}" is a spreadsheet. Use CSV: spreadsheet programs can open and save it.`);
  const format = path === STREAM ? "ndjson" : ENDINGS[ending];
  if (format === undefined)
    throw new UsageError(`"${path}" ends neither in .csv nor in .ndjson: give the format with --format.`);
  return format;
}

export function readDelimiter(given: string | undefined, format: FileFormat): string | undefined {
  if (given === undefined) return undefined;
  if (format !== "csv") throw new UsageError("--delimiter is for CSV files.");
  const names = Object.keys(DELIMITERS) as Array<keyof typeof DELIMITERS>;
  return DELIMITERS[readChoice("--delimiter", given === "\t" ? "tab" : given, names)];
}

export function readExcel(isGiven: boolean, format: FileFormat): boolean {
  if (isGiven && format !== "csv")
    throw new UsageError("--excel is for CSV files: name the file .csv, or add --format csv.");
  return isGiven;
}
