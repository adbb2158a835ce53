// The fields of an animal's page in the console: how lists are shown and read, and how the changes of two people are merged.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  combineTexts,
  type FieldName,
  mergeFields,
  toFields,
  toPatch,
} from "../../../console/src/animals/profile/profile-fields.ts";
import { SECTIONS } from "../../../console/src/animals/profile/sections.ts";

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

test("reads amounts without the errors of floating-point numbers", () => {
  const fees: Array<[feeAmount: string, feeCurrency: string, amount: number]> = [
    ["19.99", "EUR", 1_999],
    ["0,29", "eur", 29],
    ["1.005", "KWD", 1_005],
    ["25000", "JPY", 25_000],
  ];
  for (const [feeAmount, feeCurrency, amount] of fees) {
    const fee = { amount, currency: feeCurrency.toUpperCase() };
    assert.deepEqual(toPatch(EMPTY, { ...EMPTY, feeAmount, feeCurrency }), { fee });
  }
});

test("reads the name and any number of a category, and waits while a number is typed", () => {
  const base = toFields({}, { name: "Rex", categoryId: 9_007_199_254_740_993n });
  assert.deepEqual([base.name, base.categoryId], ["Rex", "9007199254740993"]);
  assert.deepEqual(toPatch(base, { ...base, name: " Rex ", categoryId: "-7" }), {
    name: "Rex",
    categoryId: -7,
  });
  assert.deepEqual(toPatch(base, { ...base, categoryId: "" }), { categoryId: undefined });
  const same = { ...base, categoryId: " 9007199254740993 " };
  assert.deepEqual(mergeFields(base, same, { ...base, name: "Luna" }).conflicts, []);
});

test("edits every member in exactly one section", () => {
  const sections: Array<readonly FieldName[]> = Object.values(SECTIONS);
  const members = sections.flat();
  // The currency belongs to the fee.
  assert.deepEqual([...members, "feeCurrency"].sort(), Object.keys(EMPTY).sort());
});

test("merges the changes of two people member by member", () => {
  const base = toFields({ tags: ["old"], size: "small", fee: { amount: 20_000, currency: "EUR" } });
  const merge = (mine: object, theirs: object) => {
    const { draft, ...rest } = mergeFields(base, { ...base, ...mine }, { ...base, ...theirs });
    return { ...rest, draft: toPatch(base, draft) };
  };
  const cases: Array<[what: string, mine: object, theirs: object, merged: ReturnType<typeof merge>]> = [
    ["nothing", {}, {}, { draft: {}, conflicts: [], taken: [] }],
    ["mine only", { tags: "x" }, {}, { draft: { tags: ["x"] }, conflicts: [], taken: [] }],
    ["theirs only", {}, { tags: "x" }, { draft: { tags: ["x"] }, conflicts: [], taken: ["tags"] }],
    [
      "different members",
      { tags: "x" },
      { size: "large" },
      {
        draft: { tags: ["x"], size: "large" },
        conflicts: [],
        taken: ["size"],
      },
    ],
    [
      "the same value",
      { tags: "x,y" },
      { tags: "x, y" },
      { draft: { tags: ["x", "y"] }, conflicts: [], taken: [] },
    ],
    [
      "other values",
      { tags: "x" },
      { tags: "y" },
      { draft: { tags: ["x"] }, conflicts: ["tags"], taken: [] },
    ],
    [
      "an emptied entry",
      { tags: "" },
      { tags: "y" },
      { draft: { tags: null }, conflicts: ["tags"], taken: [] },
    ],
    [
      "amount and currency",
      { feeAmount: "250.00" },
      { feeCurrency: "CHF" },
      {
        draft: { fee: { amount: 25_000, currency: "EUR" } },
        conflicts: ["feeAmount"],
        taken: [],
      },
    ],
  ];
  for (const [what, mine, theirs, merged] of cases) assert.deepEqual(merge(mine, theirs), merged, what);
});

test("combines texts and lists, and nothing else", () => {
  assert.equal(combineTexts("description", "Mine.", "Theirs."), "Mine.\n\nTheirs.");
  assert.equal(combineTexts("tags", "calm, shy", "shy; calm, old"), "calm; shy; calm, old");
  assert.equal(combineTexts("colors", "black", "white"), "black, white");
  assert.equal(combineTexts("description", "", "Theirs."), undefined, "there is nothing to add");
  for (const member of ["size", "externalId", "feeAmount", "bornOn"] as const)
    assert.equal(combineTexts(member, "1", "2"), undefined, member);
});
