// File arguments of commands: path and format.

import { extname, resolve } from "node:path";
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

/** As people may look for it, whatever folder they are in. */
export function placeOf(path: string): string {
  return resolve(path);
}

export function describeBytes(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
