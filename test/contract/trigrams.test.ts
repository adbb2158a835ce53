// The choice of trigrams for candidates.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseMatch } from "../../src/storage/search/trigrams.ts";

/** Trigrams with these letters are frequent. */
const frequencyOf = (trigram: string) => (trigram.includes("e") ? 0.5 : trigram.includes("a") ? 0.05 : 0.001);

const chosen: Array<[string, string[][], string]> = [
  ["a word of one trigram", [["abc"]], '"abc"'],
  ["rare trigrams without frequent ones", [["wombate"]], '"wom" AND "omb"'],
  ["frequent ones only together", [["beetle"]], '"bee" AND "eet" AND "etl" AND "tle"'],
  ["the rarest of all words", [["abcd"], ["xyze"]], '"bcd" AND "xyz"'],
  ["either the word or a category", [["xyz", "XBX"]], '(("xyz") OR ("XBX"))'],
  ["letters beyond 16 bits", [["🐕🐈🐇"]], '"🐕🐈🐇"'],
  ["a quote", [['a"b']], '"a""b"'],
];

for (const [what, words, match] of chosen)
  test(`candidates are found by ${what}`, () => {
    assert.equal(chooseMatch(words, frequencyOf), match);
  });
