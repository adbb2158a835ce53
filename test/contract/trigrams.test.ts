// The choice of trigrams for candidates.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTexts } from "../../src/storage/search/sqlite-index.ts";
import { createTrigramCounts } from "../../src/storage/search/trigram-counts.ts";
import { chooseMatch } from "../../src/storage/search/trigrams.ts";
import { openEmptyStore } from "./engines.ts";

/** Trigrams with these letters are frequent. */
const frequencyOf = (trigram: string) => (trigram.includes("e") ? 0.5 : trigram.includes("a") ? 0.05 : 0.001);

const chosen: Array<[string, string[][], string]> = [
  ["a word of one trigram", [["abc"]], '"abc"'],
  ["rare trigrams without frequent ones", [["wombee"]], '"wom" AND "omb"'],
  ["trigrams that share few letters first", [["wombits"]], '"wom" AND "mbi" AND "its"'],
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

test("trigrams are counted once for each text of a sample", () => {
  const { add, frequency } = createTrigramCounts();
  for (const text of ["ababab", "cab", "🐕🐈🐇🐕🐈🐇", ...Array.from({ length: 97 }, () => "x")]) add(text);
  const counted = ["aba", "cab", "🐕🐈🐇", "zzz"].map((trigram) =>
    Math.round(frequency(trigram) * 101 - 0.5),
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
  const frequencyOf = await sampleTexts(db);
  for (const [trigram, tenths] of [["wom", 1] as const, ["bee", 9] as const])
    assert.equal(Math.round(frequencyOf(trigram) * 10), tenths, trigram);
});
