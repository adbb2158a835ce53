// Facts of an animal in words, and what of a listing is public.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Animal,
  ageOf,
  breedOf,
  factMarkup,
  factText,
  listFacts,
  nameOf,
  readAnimals,
} from "../../../src/site/animal.ts";
import { toText } from "../../../src/site/html.ts";
import { TEXTS } from "../../../src/site/texts.ts";

const NOW_MS = Date.UTC(2027, 5, 15);
const { en, de } = TEXTS;
const LISTING = {
  id: 7,
  name: "Luna",
  categoryId: 3,
  categoryName: "Cats",
  status: "available",
  profile: { externalId: "A-1", custom: { chip: "1" }, species: "cat" },
  photos: [],
  shelter: { id: 1, name: "Riverside" },
  createdAt: "2027-01-01T00:00:00.000Z",
  updatedAt: "2027-01-01T00:00:00.000Z",
};

test("neither externalId nor members of the shelter's own are public", () => {
  const [animal] = readAnimals(JSON.stringify([LISTING]), en);
  assert.deepEqual(animal?.profile, { species: "cat" });
  assert.deepEqual(
    Object.keys(animal ?? {}),
    Object.keys(LISTING).filter((name) => !name.startsWith("category")),
  );
});

test("ages in words", () => {
  const ages = {
    "2027-07-01": ["newborn", "neugeboren"],
    "2027-06-12": ["newborn", "neugeboren"],
    "2027-06-07": ["1 week", "1 Woche"],
    "2027-04-20": ["8 weeks", "8 Wochen"],
    "2027-04-10": ["2 months", "2 Monate"],
    "2025-08-15": ["21 months", "21 Monate"],
    "2024-06-14": ["3 years", "3 Jahre"],
  };
  for (const [bornOn, words] of Object.entries(ages))
    assert.deepEqual([ageOf({ bornOn }, en, NOW_MS), ageOf({ bornOn }, de, NOW_MS)], words, bornOn);
  assert.equal(ageOf({ bornOn: "2020-01-01", bornIsEstimated: true }, de, NOW_MS), "etwa 7 Jahre");
  assert.equal(ageOf({}, en, NOW_MS), undefined);
});

test("breeds", () => {
  assert.equal(factText(breedOf({ breeds: ["Beagle", "Pug"], mixed: true }, en)), "Beagle / Pug mix");
  assert.equal(factText(breedOf({ breeds: ["Pug"], mixed: true }, de)), "Pug-Mischling");
  assert.equal(factText(breedOf({ breeds: [], mixed: true }, de)), "Mischling");
  assert.equal(factText(breedOf({ breeds: ["Beagle"] }, en)), "Beagle");
  assert.deepEqual(breedOf({ breeds: [] }, en), []);
});

test("a breed, colour or tag cannot turn the words beside it", () => {
  const profile = { breeds: ["\u202eA", "B"], mixed: true, colors: ["\u202ec", "d"], tags: ["\u202ee", "f"] };
  const facts = listFacts({ ...LISTING, profile } as unknown as Animal, en, NOW_MS);
  assert.deepEqual(
    facts.map(([label, fact]) => `${label}: ${toText(factMarkup(fact))}`),
    [
      "Breed: <bdi>\u202eA</bdi> / <bdi>B</bdi> mix",
      "Colour: <bdi>\u202ec</bdi>, <bdi>d</bdi>",
      "Also: <bdi>\u202ee</bdi>, <bdi>f</bdi>",
      "Number: 7",
    ],
  );
});

test("an animal whose name has no visible character is called by its number", () => {
  for (const name of ["\u202e", "\u200b\u200d\ufeff", "\u2067\u2069", "\u3164", "\u2800 \u00a0", "\u{e0041}"])
    assert.equal(nameOf({ name, id: 24 }, en), "No. 24", JSON.stringify(name));
  assert.equal(nameOf({ name: "\u200b", id: 24n }, de), "Nr. 24");
  for (const name of ["Luna", "\u202eLuna", "🐶", "☃\ufe0f", "-", "لونا"])
    assert.equal(nameOf({ name, id: 1 }, en), name);
});

test("only known facts are shown; a fee is in its currency's own minor units", () => {
  const profile = {
    neutered: "unknown",
    fee: { amount: 1_500, currency: "JPY" },
    goodWith: { dogs: "no" },
  } as const;
  const animal = { ...LISTING, profile } as unknown as Animal;
  assert.deepEqual(listFacts(animal, en, NOW_MS), [
    ["Good with dogs", ["no"], "no"],
    ["Neutered", ["unknown"], "unknown"],
    ["Adoption fee", ["JP¥1,500"], undefined],
    ["Number", ["7"], undefined],
  ]);
});
