// Counts in how many texts of a sample each trigram is.

import type { Frequency } from "./trigrams.ts";

/** Trigrams that share a bucket are counted together, so that any language takes the same memory. */
const BUCKET_BITS = 17;

export interface TrigramCounts {
  /** Each trigram of a text counts once. */
  add(text: string): void;
  frequency: Frequency;
}

export function createTrigramCounts(): TrigramCounts {
  const counts = new Uint32Array(2 ** BUCKET_BITS);
  /** The last text that had the trigram. */
  const seenIn = new Uint32Array(2 ** BUCKET_BITS);
  let texts = 0;
  return {
    add(text) {
      texts += 1;
      let [before, last] = [-1, -1];
      for (let at = 0; at < text.length; ) {
        const letter = text.codePointAt(at) as number;
        at += letter > 0xffff ? 2 : 1;
        if (before >= 0) {
          const bucket = bucketOf(before, last, letter);
          if (seenIn[bucket] !== texts) counts[bucket] = (counts[bucket] as number) + 1;
          seenIn[bucket] = texts;
        }
        before = last;
        last = letter;
      }
    },
    frequency(trigram) {
      const [one = 0, two = 0, three = 0] = [...trigram].map((letter) => letter.codePointAt(0));
      // A trigram that is in no text of the sample is not impossible.
      return ((counts[bucketOf(one, two, three)] as number) + 0.5) / (texts + 1);
    },
  };
}

/** Multiplication spreads letters that differ little over all buckets. */
function bucketOf(one: number, two: number, three: number): number {
  return Math.imul(Math.imul(Math.imul(one, 31) + two, 1_021) + three, 0x9e37_79b1) >>> (32 - BUCKET_BITS);
}
