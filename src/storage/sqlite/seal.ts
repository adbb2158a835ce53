// The seal at the end of a backup: a checksum of all before it. SQLite itself notices no changed letter in a name.

import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { withFile } from "../../tools/atomic-file.ts";

/** SQLite reads only as many pages as its header says: a sealed file can still be opened. */
const WORDS = "\nanimal-store backup, sha256 ";
const SEAL = new RegExp(`^${WORDS}([0-9a-f]{64})\n$`);
const SEAL_BYTES = WORDS.length + 65;

export interface Seal {
  /** Of the database, without the seal. */
  bytes: number;
  checksum: string;
}

/** For a file that nobody changes any more. */
export async function addSeal(path: string): Promise<Seal> {
  const checksum = await hashFile(path);
  const bytes = statSync(path).size;
  await withFile(path, "a", (file) => file.appendFile(`${WORDS}${checksum}\n`));
  return { bytes, checksum };
}

/** Undefined for a file without a seal. Whether it is true, the checksum of what stands before it tells. */
export async function findSeal(file: FileHandle): Promise<Seal | undefined> {
  const bytes = Math.max(0, (await file.stat()).size - SEAL_BYTES);
  const { buffer, bytesRead } = await file.read({ position: bytes, buffer: Buffer.alloc(SEAL_BYTES) });
  const checksum = SEAL.exec(buffer.toString("latin1", 0, bytesRead))?.[1];
  return checksum === undefined ? undefined : { bytes, checksum };
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest("hex");
}
