// The line of each text in a file, in 12 bytes per slot: a map of strings would take a gigabyte for a hostile file of 32 MiB.

import { hash } from "node:crypto";

export interface LineIndex {
  /** The line of the same text, if it was added before. Otherwise adds it. */
  findOrAdd(text: string, line: number): number | undefined;
}

/**
 * `textsMax` is the number of texts that may be added: a table that grows would block the process for a long time.
 * Two of a million texts have the same 64 bits of SHA-256 with a probability of 1 in 18 million.
 */
export function createLineIndex(textsMax: number): LineIndex {
  const slots = 2 ** Math.ceil(Math.log2(2 * textsMax + 2));
  const keys = new BigUint64Array(slots);
  const lines = new Uint32Array(slots);

  return {
    findOrAdd(text, line) {
      // A free slot is 0.
      const key = hash("sha256", text, "buffer").readBigUInt64LE() | 1n;
      let slot = Number(key & 0xffff_ffffn) % slots;
      while (keys[slot] !== 0n && keys[slot] !== key) slot = (slot + 1) % slots;
      if (keys[slot] === key) return lines[slot];
      keys[slot] = key;
      lines[slot] = line;
      return undefined;
    },
  };
}
