// A set of row numbers with one bit for each number: a file may have millions of rows.

import { deflateRawSync, inflateRawSync } from "node:zlib";

export interface NumberSet {
  add(number: number): void;
  has(number: number): boolean;
  size(): number;
  /** Small for long ranges, which are usual. At most one bit for each number, and some bytes. */
  compress(): Buffer;
}

const BYTES_MIN = 1_024;

export function createNumberSet(begin: Uint8Array = new Uint8Array()): NumberSet {
  let bits = new Uint8Array(Math.max(begin.length, BYTES_MIN));
  bits.set(begin);
  let size = 0;
  let end = begin.length;
  for (const byte of begin) for (let rest = byte; rest > 0; rest >>= 1) size += rest & 1;
  const has = (number: number) => ((bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  return {
    has,
    size: () => size,
    add(number) {
      if (has(number)) return;
      const at = number >> 3;
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(at + 1, bits.length * 2));
        larger.set(bits);
        bits = larger;
      }
      bits[at] = (bits[at] as number) | (1 << (number & 7));
      end = Math.max(end, at + 1);
      size += 1;
    },
    compress: () => deflateRawSync(bits.subarray(0, end), { level: 1 }),
  };
}

/** The reverse of `compress`. */
export function expandNumberSet(compressed: Uint8Array): NumberSet {
  return createNumberSet(inflateRawSync(compressed));
}

/** 1 to `last`. */
export function createNumberRange(last: number): NumberSet {
  const set = createNumberSet();
  for (let number = 1; number <= last; number++) set.add(number);
  return set;
}
