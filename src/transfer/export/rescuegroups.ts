// The file for RescueGroups.

import type { Profile } from "../../domain/animals/profile.ts";
import {
  type AggregatorFormat,
  ageOf,
  capitalise,
  coatOf,
  photo,
  typeOf,
  UNKNOWN,
} from "./aggregator-format.ts";

const SIZES = { small: "Small", medium: "Medium", large: "Large", extra_large: "X-Large" };
/** Other answers are empty. */
const WORDS: Record<string, string> = { yes: "Yes", true: "Yes", no: "No", false: "No" };
const wordOf = (answer: Profile["neutered"] | boolean) => WORDS[`${answer}`];

export const RESCUEGROUPS: AggregatorFormat = {
  title: "RescueGroups",
  file: "rescuegroups.csv",
  statuses: ["available", "pending"],
  hasHead: true,
  hasLines: false,
  nameMax: 50,
  columns: {
    externalID: ({ id }) => `${id}`,
    internalID: ({ externalId }) => externalId,
    rescueID: UNKNOWN,
    name: ({ name }) => name,
    status: ({ status }) => (status === "pending" ? "Hold" : "Available"),
    type: typeOf,
    priBreed: ({ breeds }) => breeds[0],
    secBreed: ({ breeds }) => breeds[1],
    mix: ({ mixed }) => wordOf(mixed),
    sex: ({ sex }) => capitalise(sex),
    age: ageOf,
    okwithdogs: ({ goodWith }) => wordOf(goodWith.dogs),
    okwithcats: ({ goodWith }) => wordOf(goodWith.cats),
    okwithkids: ({ goodWith }) => wordOf(goodWith.children),
    declawed: UNKNOWN,
    housebroken: ({ houseTrained }) => wordOf(houseTrained),
    specialNeeds: ({ specialNeeds }) => wordOf(specialNeeds),
    altered: ({ neutered }) => wordOf(neutered),
    size: ({ size }) => size && SIZES[size],
    uptodate: ({ vaccinated }) => wordOf(vaccinated),
    color: ({ colors }) => colors[0],
    pattern: UNKNOWN,
    coatLength: coatOf,
    courtesy: UNKNOWN,
    dsc: ({ description }) => description,
    found: UNKNOWN,
    foundDate: UNKNOWN,
    foundZipcode: UNKNOWN,
    photo1: photo(1),
    photo2: photo(2),
    photo3: photo(3),
    photo4: photo(4),
    videoUrl: ({ videoUrl }) => videoUrl,
  },
};
