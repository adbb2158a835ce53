// Text in cells: formulas are disarmed and come back exactly.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { guardFormula, unguardFormula } from "../../../src/transfer/formats/csv-text.ts";

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
