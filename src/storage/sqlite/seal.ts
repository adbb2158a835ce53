// The seal at the end of a backup: a checksum of the database. SQLite's integrity check finds no changed text.

import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { withFile } from "../../files/atomic-file.ts";

/** SQLite ignores bytes after its last page, so a sealed file can be opened. */
const PREFIX = "\nanimal-store backup, sha256 ";
const SEAL = new RegExp(`^${PREFIX}([0-9a-f]{64})\n$`);
const SEAL_BYTES = PREFIX.length + 65;

export interface Seal {
  /** Size of the database, without the seal. */
  bytes: number;
  checksum: string;
}

/** The file must not change any more. */
export async function addSeal(path: string): Promise<Seal> {
  const checksum = await hashFile(path);
  const bytes = statSync(path).size;
  await withFile(path, "a", (file) => file.appendFile(`${PREFIX}${checksum}\n`));
  return { bytes, checksum };
}

/** Undefined for a file without a seal. The caller compares the checksum. */
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
