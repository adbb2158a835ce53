// Counts in how many texts of a sample each gram is.

import type { Frequency } from "./gram-choice.ts";
import { toGramText } from "./grams.ts";

/** Grams that share a bucket are counted together, so that any language takes the same memory. */
const BUCKET_BITS = 17;

export interface GramCounts {
  /** Each gram of a text counts once. */
  add(text: string): void;
  frequency: Frequency;
}

export function createGramCounts(): GramCounts {
  const counts = new Uint32Array(2 ** BUCKET_BITS);
  /** The last text that had the gram. */
  const seenIn = new Uint32Array(2 ** BUCKET_BITS);
  let texts = 0;
  return {
    add(text) {
      texts += 1;
      const letters = toGramText(text);
      for (let at = 0; at + 2 < letters.length; at++) {
        const bucket = bucketOf(letters, at);
        if (seenIn[bucket] !== texts) counts[bucket] = (counts[bucket] as number) + 1;
        seenIn[bucket] = texts;
      }
    },
    // A gram that is in no text of the sample is not impossible.
    frequency: (gram) => ((counts[bucketOf(gram, 0)] as number) + 0.5) / (texts + 1),
  };
}

/** Multiplication spreads letters that differ little over all buckets. */
function bucketOf(letters: string, at: number): number {
  const [one, two, three] = [letters.charCodeAt(at), letters.charCodeAt(at + 1), letters.charCodeAt(at + 2)];
  return Math.imul(Math.imul(Math.imul(one, 31) + two, 1_021) + three, 0x9e37_79b1) >>> (32 - BUCKET_BITS);
}
