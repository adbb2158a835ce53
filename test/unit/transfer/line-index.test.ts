// The line of each external id in a file: as a map of all texts says.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createLineIndex } from "../../../src/transfer/import/line-index.ts";

test("every text is found on the line on which it was first", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 3_000 }), (texts) => {
      const index = createLineIndex(texts.length);
      const model = new Map<string, number>();
      for (const [at, text] of texts.entries()) {
        assert.equal(index.findOrAdd(text, at + 1), model.get(text));
        if (!model.has(text)) model.set(text, at + 1);
      }
    }),
    { numRuns: 20 },
  );
});

test("100,000 texts are all found", () => {
  const index = createLineIndex(100_000);
  for (let i = 1; i <= 100_000; i++) assert.equal(index.findOrAdd(`A-${i}`, i), undefined);
  for (let i = 1; i <= 100_000; i++) assert.equal(index.findOrAdd(`A-${i}`, 0), i);
});
