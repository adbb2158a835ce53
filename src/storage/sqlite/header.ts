// The header of a SQLite file: shows without SQLite whether the file can be a whole database.

import type { FileHandle } from "node:fs/promises";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
/** The page size that does not fit into its two bytes is written as this. */
const PAGE_SIZE_MAX = 1;

/** Undefined for a file that has the length its header says. */
export async function findHeaderFault(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  if (size === 0) return "it is empty";
  const { buffer } = await file.read({ position: 0, buffer: Buffer.alloc(HEADER_BYTES) });
  if (buffer.toString("latin1", 0, MAGIC.length) !== MAGIC) return "it is not a SQLite database";
  const pageSize = buffer.readUInt16BE(16);
  // Very old versions of SQLite wrote no number of pages.
  const isCounted = buffer.readUInt32BE(24) === buffer.readUInt32BE(92);
  const bytes = buffer.readUInt32BE(28) * (pageSize === PAGE_SIZE_MAX ? 65_536 : pageSize);
  return isCounted && size < bytes ? `it is cut off after ${size} of ${bytes} bytes` : undefined;
}
