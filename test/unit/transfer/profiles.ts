// Arbitrary valid profiles, with text that is difficult for files.

import fc from "fast-check";
import {
  ANSWERS,
  BREEDS_MAX,
  COATS,
  COLORS_MAX,
  FEE_MAX,
  type Profile,
  SEXES,
  SIZES,
  SPECIES,
  TAGS_MAX,
} from "../../../src/domain/animals/profile.ts";

const UNITS = [..."aZß0 '\"=+-@;,|\\[]{}%_＝é🐕狗жعλ\u2028\u00a0"];
const text = fc.string({ unit: fc.constantFrom(...UNITS), minLength: 1, maxLength: 12 });
const name = text.map((each) => each.trim()).filter((each) => each !== "");
const lines = fc.string({ unit: fc.constantFrom(...UNITS, "\n"), maxLength: 30 });
const list = (maxLength: number) => fc.array(name, { maxLength });
const answer = fc.constantFrom(...ANSWERS);
const day = fc.constantFrom("2020-02-29", "0001-01-01", "9999-12-31");
const SHAPE = { noNullPrototype: true } as const;

export const anyProfile: fc.Arbitrary<Profile> = fc.record(
  {
    species: fc.constantFrom(...SPECIES),
    breeds: list(BREEDS_MAX),
    mixed: fc.boolean(),
    sex: fc.constantFrom(...SEXES),
    bornOn: day,
    bornIsEstimated: fc.boolean(),
    size: fc.constantFrom(...SIZES),
    colors: list(COLORS_MAX),
    coat: fc.constantFrom(...COATS),
    goodWith: fc
      .record({ children: answer, dogs: answer, cats: answer }, { ...SHAPE, requiredKeys: [] })
      .filter((each) => Object.keys(each).length > 0),
    neutered: answer,
    vaccinated: answer,
    houseTrained: answer,
    specialNeeds: answer,
    description: lines,
    fee: fc.record({ amount: fc.nat(FEE_MAX), currency: fc.constantFrom("EUR", "JPY") }, SHAPE),
    arrivedOn: day,
    videoUrl: fc.constantFrom("https://a.example/v?x=1,2;3#'", "https://a.example"),
    externalId: name,
    tags: list(TAGS_MAX),
  },
  { ...SHAPE, requiredKeys: [] },
);
