// The texts and words of a search.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  categoryNeedle,
  isPrefixWord,
  normaliseText,
  readWords,
  searchTextOf,
  wordNeedle,
} from "../../../src/domain/animals/search-text.ts";

/** All letters with case, and all compatibility forms except ideographs, are below. */
const LAST_CODE_POINT = 0x1ffff;
/** Its capital is a letter, although it is a mark: what it stands below loses it, and its capitals keep it. */
const IOTA_SUBSCRIPT = "\u0345";

test("texts that differ only in case, accents and compatibility forms become equal", async (t) => {
  const same: Record<string, string[]> = {
    Latin: ["Mía Ångström", "MIA ANGSTROM", "mi\u0301a a\u030angstro\u0308m"],
    "sharp s": ["Straße", "STRASSE", "STRAẞE", "strasse"],
    Turkish: ["İSTANBUL ışık", "istanbul isik", "ISTANBUL IŞIK"],
    Vietnamese: ["Phở Việt", "pho viet", "PHỞ VIỆT"],
    Cyrillic: ["Ёжик Белый", "ежик белыи", "ЁЖИК БЕЛЫЙ"],
    Greek: ["Άργος ο ΣΚΥΛΟΣ", "αργοσ ο σκυλοσ", "ΑΡΓΟΣ Ο ΣΚΎΛΟΣ", "αργος ο σκυλος"],
    Arabic: ["قِطَّة", "قطة", "قطّة"],
    Hebrew: ["כֶּלֶב", "כלב"],
    Japanese: ["ﾈｺ", "ネコ"],
    Korean: ["강아지", "강아지".normalize("NFD")],
    "full width and ligatures": ["Ｆｌｕﬀｙ ①", "fluffy 1", "FLUFFY 1"],
    emoji: ["Rex ❤️", "rex ❤"],
  };
  for (const [script, [first = "", ...others]] of Object.entries(same)) {
    await t.test(script, () => {
      for (const other of others) assert.equal(normaliseText(other), normaliseText(first));
    });
  }
});

test("a sigma inside of a word is found by one at its end", () => {
  assert.ok(normaliseText("κόσμος").includes(normaliseText("ΚΟΣ")));
});

test("other letters stay different", () => {
  const different = ["ab", "ба", "αβ", "猫", "犬", "🐕", "🐈", "'", '"', "%", "_", "\\"];
  assert.equal(new Set(different.map(normaliseText)).size, different.length);
});

test("no code point is affected by case, or has a capital of ASCII when it is normalised", () => {
  for (let code = 0; code <= LAST_CODE_POINT; code += 1) {
    const text = String.fromCodePoint(code);
    const normal = normaliseText(text);
    if (/[A-Z]/.test(normal)) assert.fail(`U+${code.toString(16)} becomes ${normal}`);
    if (text.normalize("NFKD").includes(IOTA_SUBSCRIPT)) continue;
    for (const other of [text.toLowerCase(), text.toUpperCase()])
      if (normaliseText(other) !== normal) assert.fail(`U+${code.toString(16)}: ${other}, ${normal}`);
  }
});

test("words are separated by white space of any kind, and an accent alone is none", () => {
  assert.deepEqual(readWords("  Großer\tHUND\u3000schwarz\n\u00a0x "), ["grosser", "hund", "schwarz", "x"]);
  for (const empty of ["", "  ", "\u0301", "´"]) assert.deepEqual(readWords(empty), []);
});

test("a text has every searched member, and no member runs into the next", () => {
  const profile = {
    breeds: ["Collie", "Mops"],
    tags: ["Senior"],
    externalId: "A-17",
    description: "Lieb.\nRuhig.",
  };
  const text = searchTextOf({ name: "Réx", categoryId: 3n, profile });
  for (const word of ["rex", "collie", "mops", "senior", "a-17", "lieb.", "ruhig."])
    assert.ok(text.includes(wordNeedle(word)), word);
  for (const word of ["colliemops", "mopssenior", "seniora-17", "a-17lieb"])
    assert.ok(!text.includes(wordNeedle(word)), word);
});

test("a word of one or two letters is a prefix, and three letters are none, also in one character of Korean", () => {
  for (const q of ["r", "RE", "猫太", "🐕", "Ⅳ"]) assert.ok(isPrefixWord(readWords(q)[0] ?? ""), q);
  for (const q of ["rex", "강", "ﬃ"]) assert.ok(!isPrefixWord(readWords(q)[0] ?? ""), q);
});

test("a category is found by its identifier only", () => {
  const ids = [0n, 1n, 11n, 12n, 21n, -1n, -11n, 2n ** 63n - 1n, -(2n ** 63n)];
  for (const id of ids) {
    const text = searchTextOf({ name: "QQXBX", categoryId: id, profile: { tags: ["XBX"] } });
    assert.deepEqual(
      ids.filter((other) => text.includes(categoryNeedle(other))),
      [id],
    );
    for (const word of ["1", "qq", "xbx", String(id)].map(normaliseText))
      assert.ok(!categoryNeedle(id).includes(word), word);
  }
});
