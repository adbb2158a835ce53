// Text in cells and in messages: formulas are disarmed and come back exactly; foreign text is short and harmless.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findCloseNames } from "../../src/transfer/close-names.ts";
import { guardFormula, unguardFormula } from "../../src/transfer/files/excel-text.ts";
import { showList, showText } from "../../src/transfer/files/shown-text.ts";

test("no text begins like a formula after it was guarded, and every text comes back exactly", () => {
  const text = fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "＝", "a", " ", "ü") });
  fc.assert(
    fc.property(text, (given) => {
      const guarded = guardFormula(given);
      assert.doesNotMatch(guarded, /^[=+\-@\t\r\n＝＋－＠]/);
      assert.equal(unguardFormula(guarded), given);
    }),
  );
});

test("guards nothing but formulas", () => {
  for (const text of ["Rex", "'s Gravenhage", "a=b", "5-1", ""]) assert.equal(guardFormula(text), text);
});

test("shows at most 60 characters of foreign text, without control characters", () => {
  assert.equal(showText("Rex"), '"Rex"');
  assert.equal(showText("x".repeat(60)), `"${"x".repeat(60)}"`);
  assert.equal(showText("🐕".repeat(2 ** 19)), `"${"🐕".repeat(60)}…"`);
  assert.equal(showText("a\u001b[2Jb\u009b\u202e\r\n"), '"a\\u{1b}[2Jb\\u{9b}\\u{202e}\\u{d}\\u{a}"');
});

test("shows at most ten texts of a list", () => {
  const texts = Array.from({ length: 12 }, (_, i) => `${i}`);
  assert.equal(showList(texts).split(", ").length, 10);
  assert.match(showList(texts), /"9" and 2 more$/);
});

test("finds the closest names first, and no other words", () => {
  const known = ["Dogs", "Cats", "Small animals", "Doves", "Dog"];
  assert.deepEqual(findCloseNames("Dgos", known), ["Dogs", "Dog"]);
  assert.deepEqual(findCloseNames("dogs", known), ["Dogs", "Dog", "Doves"]);
  assert.deepEqual(findCloseNames("Smal animls", known), ["Small animals"]);
  assert.deepEqual(findCloseNames("Fish", known), []);
});
