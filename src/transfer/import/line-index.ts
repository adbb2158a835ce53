// The line of each text in a file, in 12 bytes per slot: a map of strings would take a gigabyte for a hostile file of 32 MiB.

import { hash } from "node:crypto";

const SLOTS_MIN = 1_024;

export interface LineIndex {
  /** The line of the same text, if it was added before. Otherwise adds it. */
  findOrAdd(text: string, line: number): number | undefined;
}

/** Two of a million texts have the same 64 bits of SHA-256 with a probability of 1 in 18 million. */
export function createLineIndex(): LineIndex {
  let size = 0;
  let keys = new BigUint64Array(SLOTS_MIN);
  let lines = new Uint32Array(SLOTS_MIN);

  /** The slot of the key, or the free slot for it. */
  function findSlot(key: bigint): number {
    const mask = keys.length - 1;
    let slot = Number(key & 0xffff_ffffn) & mask;
    while (keys[slot] !== 0n && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const [oldKeys, oldLines] = [keys, lines];
    keys = new BigUint64Array(oldKeys.length * 2);
    lines = new Uint32Array(oldKeys.length * 2);
    for (const [index, key] of oldKeys.entries()) {
      if (key === 0n) continue;
      const slot = findSlot(key);
      keys[slot] = key;
      lines[slot] = oldLines[index] as number;
    }
  }

  return {
    findOrAdd(text, line) {
      // A free slot is 0.
      const key = hash("sha256", text, "buffer").readBigUInt64LE() | 1n;
      let slot = findSlot(key);
      if (keys[slot] === key) return lines[slot];
      size += 1;
      if (size > keys.length / 2) {
        grow();
        slot = findSlot(key);
      }
      keys[slot] = key;
      lines[slot] = line;
      return undefined;
    },
  };
}
