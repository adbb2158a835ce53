// The texts and words of a search.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  categoryNeedle,
  isPrefixWord,
  normaliseText,
  petNeedle,
  readPetId,
  readWords,
  searchTextsOf,
  wordNeedle,
} from "../../../src/domain/animals/search-text.ts";
import { codePoint } from "../../harness/clients/code-points.ts";

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

/** Whether a word of `q` is found in a name, and in a description. */
const isIn = (name: string, q: string) => {
  const [word = ""] = readWords(q);
  const { name: inName } = searchTextsOf({ name, categoryId: 1n });
  const { text } = searchTextsOf({ name: "", categoryId: 1n, profile: { description: name } });
  return [inName.includes(wordNeedle(word)), !isPrefixWord(word) && text.includes(wordNeedle(word))];
};

test("a text has every searched member, and no member runs into the next", () => {
  const profile = {
    breeds: ["Collie", "Mops"],
    tags: ["Senior"],
    externalId: "A-17",
    description: "Lieb.\nRuhig.",
  };
  const { text } = searchTextsOf({ name: "Réx", categoryId: 3n, profile });
  for (const word of ["rex", "collie", "mops", "senior", "a-17", "lieb.", "ruhig."])
    assert.ok(text.includes(wordNeedle(word)), word);
  for (const word of ["colliemops", "mopssenior", "seniora-17", "a-17lieb"])
    assert.ok(!text.includes(wordNeedle(word)), word);
});

test("words of a text, and words of q that are found in a name and in a description", async (t) => {
  const cases: Array<[text: string, q: string, isInName: boolean, isInDescription: boolean]> = [
    ["Luna 5", "5", true, false],
    ["Luna 5", "lu", true, false],
    ["Luna 5", "un", false, false],
    ["Luna 5", "una", true, true],
    ["Mary-Ann", "an", true, false],
    ["O'Neil", "ne", true, false],
    ["O'Neil", "o'", true, false],
    ["O'Neil", "o'n", true, true],
    ["Tom & Jerry", "&", true, false],
    ["Rex 🐕", "🐕", true, false],
    ["Rex🐕", "🐕", false, false],
    ["花子さん", "花", true, true],
    ["花子さん", "子さ", true, true],
    ["花子さん", "子さん", true, true],
    ["花子さん", "さ花", false, false],
    ["コーギー", "ー", true, true],
    ["강아지", "아", true, true],
    ["강아지", "가", false, false],
    ["猫a", "猫a", true, false],
    ["猫ab", "a", true, false],
    ["แมวดำ", "แม", true, false],
    ["แมวดำ", "มว", false, false],
    ["100% x_y", "%", false, false],
    ["100% x_y", "0% ", false, false],
    ["100% x_y", "00%", true, true],
    ["a\u0001\u0001bc", "bc", true, false],
  ];
  for (const [text, q, ...expected] of cases)
    await t.test(`${JSON.stringify(q)} in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(isIn(text, q), expected),
    );
});

test("every word of a name finds it", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 12 }), (name) => {
      const texts = searchTextsOf({ name, categoryId: 1n });
      for (const word of readWords(name)) assert.ok(texts.name.includes(wordNeedle(word)), word);
    }),
    { numRuns: 1_000 },
  );
});

test("a category and an animal are found by their identifiers only", () => {
  const ids = [0n, 1n, 11n, 12n, 21n, -1n, -11n, 2n ** 63n - 1n, -(2n ** 63n)];
  for (const id of ids) {
    const { text } = searchTextsOf({ name: "QQXBX", categoryId: id, profile: { tags: ["XBX"] } });
    for (const needle of [categoryNeedle, petNeedle])
      assert.deepEqual(
        ids.filter((other) => text.includes(needle(other))),
        needle === categoryNeedle ? [id] : [],
      );
    for (const word of ["111", "xbx", String(id)].map(normaliseText))
      for (const needle of [categoryNeedle(id), petNeedle(id)])
        assert.ok(!needle.includes(wordNeedle(word)), word);
  }
});

test("only a word of digits is an identifier", () => {
  assert.deepEqual(["5", "9223372036854775807"].map(readPetId), [5n, 2n ** 63n - 1n]);
  for (const word of ["", "05", "5a", "-5", "5.", "12345678901234567890", "٥"])
    assert.equal(readPetId(word), undefined);
});
