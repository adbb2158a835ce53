// The grams of SQLite's index, and the choice of those that find candidates.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseMatch } from "../../src/storage/search/gram-choice.ts";
import { createGramCounts } from "../../src/storage/search/gram-counts.ts";
import { gramsOf, toGramText } from "../../src/storage/search/grams.ts";
import { sampleTexts } from "../../src/storage/search/sqlite-index.ts";
import { openEmptyStore } from "./engines.ts";

/** Without the class of the letter behind them. For letters of ASCII. */
const lettersOf = (gram: string) =>
  [...gram].map((letter) => String.fromCharCode(letter.charCodeAt(0) % 128)).join("");

/** Grams with these letters are frequent. */
const frequencyOf = (gram: string) =>
  lettersOf(gram).includes("e") ? 0.5 : lettersOf(gram).includes("a") ? 0.05 : 0.001;

const NINE_ABC = Array.from({ length: 9 }, () => '"abc"').join(" OR ");
const chosen: Array<[string, string[][], string]> = [
  ["a word of three letters and any letter behind it", [["abc"]], `(${NINE_ABC})`],
  ["a word of one gram", [["abcd"]], '"abc"'],
  ["rare grams without frequent ones", [["wombeet"]], '"wom" AND "omb"'],
  ["grams that share few letters first", [["wombits!"]], '"wom" AND "mbi" AND "its"'],
  ["frequent ones only together", [["beetles"]], '"bee" AND "eet" AND "etl" AND "tle"'],
  ["each gram once", [["dededede"]], '"ded" AND "ede"'],
  ["the rarest of all words", [["abcde"], ["xyzed"]], '"bcd" AND "xyz"'],
  ["either the word or a category", [["xyzz", "XBCX"]], '(("xyz") OR ("XBC"))'],
];

for (const [what, words, match] of chosen)
  test(`candidates are found by ${what}`, () => {
    const found = chooseMatch(words, frequencyOf);
    assert.equal(
      found.replace(/"([^"]*)"/g, (_, gram) => `"${lettersOf(gram)}"`),
      match,
    );
  });

test("a quote in a gram is doubled", () => {
  // The letter behind it is in class 0, so its code is that of a quote.
  const [gram] = gramsOf('x"cd').flat();
  assert.equal(gram?.includes('"'), true);
  assert.equal(chooseMatch([['x"cd']], frequencyOf), `"${gram?.replace('"', '""')}"`);
});

test("the class of the letter behind is part of a gram", () => {
  assert.notEqual(toGramText("abca").slice(0, 3), toGramText("abcb").slice(0, 3));
  assert.equal(toGramText("abca").slice(0, 3), toGramText("abcj").slice(0, 3), "nine letters later");
  assert.equal(gramsOf("abc").flat().includes(toGramText("abc")), true, "at the end of a text");
});

test("a text has the grams of every string that it contains", () => {
  const letter = fc.constantFrom(..."aeibcd \"'%\nßéжюαωمك猫犬🐕🐈X");
  const text = (minLength: number, maxLength: number) => fc.string({ unit: letter, minLength, maxLength });
  fc.assert(
    fc.property(text(0, 12), text(3, 9), text(0, 12), (before, needle, after) => {
      const grams = toGramText(before + needle + after);
      assert.equal([...grams].length, [...(before + needle + after)].length);
      for (const alternatives of gramsOf(needle))
        assert.ok(
          alternatives.some((gram) => [...gram].length === 3 && grams.includes(gram)),
          JSON.stringify({ before, needle, after }),
        );
    }),
    { numRuns: 2_000 },
  );
});

test("grams are counted once for each text of a sample", () => {
  const { add, frequency } = createGramCounts();
  for (const text of ["ababab", "cabc", "🐕🐈🐇🐕🐈🐇🐕", ...Array.from({ length: 97 }, () => "x")])
    add(text);
  const counted = ["abab", "cabc", "🐕🐈🐇🐕", "zzzz"].map((letters) =>
    Math.round(frequency(toGramText(letters).slice(0, 3)) * 101 - 0.5),
  );
  assert.deepEqual(counted, [1, 1, 1, 0]);
});

test("a sample has all kinds of texts, also if they repeat themselves at regular places", async (t) => {
  const db = await openEmptyStore(t, "SQLite");
  const ids = "WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 30000)";
  const text = "CASE id % 10 WHEN 1 THEN 'wombat' ELSE 'beetle' END";
  await db.transaction((tx) =>
    tx.run(`INSERT INTO pet_texts (pet_id, text) ${ids} SELECT id, ${text} FROM ids`),
  );
  const frequency = await sampleTexts(db);
  for (const [letters, tenths] of [["womb", 1] as const, ["beet", 9] as const])
    assert.equal(Math.round(frequency(toGramText(letters).slice(0, 3)) * 10), tenths, letters);
});
