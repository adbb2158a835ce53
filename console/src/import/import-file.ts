// The file of an import: refuses what cannot be imported, and reads the rest once, so that all requests send the same bytes.

import { IMPORT_BYTES_MAX } from "../../../src/domain/basics/request-limits.ts";
import { later } from "../shared/texts/pages.ts";

const MIB = 1024 * 1024;
/** Files of spreadsheet programs, which must be saved as CSV first. */
const SPREADSHEET = /\.(xlsx?|xlsm|ods|numbers)$/i;
const NDJSON = /\.(ndjson|jsonl)$/i;

/** Rejects with an Error for people. */
export async function readImportFile(file: File): Promise<File> {
  const texts = later().import;
  if (SPREADSHEET.test(file.name)) throw new Error(texts.isSpreadsheet(file.name));
  if (file.size > IMPORT_BYTES_MAX) throw new Error(texts.tooBig(IMPORT_BYTES_MAX / MIB));
  try {
    return new File([await file.arrayBuffer()], file.name, { type: file.type });
  } catch {
    throw new Error(texts.unreadable);
  }
}

/** Whether the rows have columns, as in CSV. */
export function hasColumns({ name }: File): boolean {
  return !NDJSON.test(name);
}
