// The format of a file that a command reads or writes.

import { extname } from "node:path";
import { FILE_FORMATS, type FileFormat } from "../transfer/files/animal-text.ts";
import { readChoice, UsageError } from "./command.ts";

/** Standard input or output. */
export const STREAM = "-";

const ENDINGS: Record<string, FileFormat> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

/** From --format or the extension of the file. The default for a stream is NDJSON. */
export function readFormat(path: string, given: string | undefined): FileFormat {
  if (given !== undefined) return readChoice("--format", given, FILE_FORMATS);
  const format = path === STREAM ? "ndjson" : ENDINGS[extname(path).toLowerCase()];
  if (format === undefined)
    throw new UsageError(`"${path}" ends neither in .csv nor in .ndjson: give the format with --format.`);
  return format;
}
