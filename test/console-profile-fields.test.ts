// Lists in the profile form of the console: what they show, and what is read from them.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toFields, toPatch } from "../console/src/views/profile-fields.ts";

const EMPTY = toFields({});
const show = (tags: string[]) => toFields({ tags }).tags;
const read = (tags: string) => toPatch({ ...EMPTY, tags: "\n" }, { ...EMPTY, tags }).tags;

test("reads every list as it was shown", () => {
  const item = fc
    .array(fc.constantFrom("a", "b c", ",", ", ", ";", "[", "]", '"', "\\", "ü"), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join("").trim())
    .filter((text) => text !== "");
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (tags) => {
      assert.deepEqual(read(show(tags)), tags);
    }),
    { numRuns: 1_000 },
  );
});

test("shows commas between items, and semicolons where an item contains a comma", () => {
  assert.equal(show(["calm", "shy"]), "calm, shy");
  assert.equal(show(["calm, shy", "old"]), "calm, shy; old");
  assert.equal(show(["calm, shy"]), "calm, shy;");
});

test("reads what people type", () => {
  const lists: Record<string, string[] | null> = {
    "calm, shy": ["calm", "shy"],
    "calm; shy": ["calm", "shy"],
    "calm, shy; old": ["calm, shy", "old"],
    " , calm ,, ": ["calm"],
    "[brindle], black": ["[brindle]", "black"],
    "[1]": ["[1]"],
    ' ["a;b"]': ["a;b"],
    " ": null,
    ";": null,
    "[]": null,
  };
  for (const [typed, items] of Object.entries(lists)) assert.deepEqual(read(typed), items, typed);
});
