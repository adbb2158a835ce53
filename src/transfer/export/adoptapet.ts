// The file for Adopt-a-Pet. It has no headings: `import.cfg` beside it names the columns.

import type { Profile } from "../../domain/animals/profile.ts";
import {
  type AggregatorFormat,
  ageOf,
  birthDateOf,
  coatOf,
  feeOf,
  sexLetterOf,
  sizeLetterOf,
  typeOf,
  UNKNOWN,
} from "./aggregator-format.ts";

/** Other answers are empty. */
const DIGITS: Record<string, string> = { yes: "1", no: "0" };
const digitOf = (answer: Profile["neutered"]) => DIGITS[answer ?? ""];

const YOUTUBE = /(?:^|\.)(?:youtube\.com|youtu\.be)$/;

export const ADOPTAPET: AggregatorFormat = {
  title: "Adopt-a-Pet",
  file: "pets.csv",
  statuses: ["available"],
  hasHead: false,
  hasLines: true,
  columns: {
    Id: ({ id }) => `${id}`,
    Animal: typeOf,
    Breed: ({ breeds }) => breeds[0],
    Breed2: ({ breeds }) => breeds[1],
    Purebred: ({ mixed }) => digitOf(mixed === undefined ? undefined : mixed ? "no" : "yes"),
    Age: ageOf,
    Name: ({ name }) => name,
    Size: sizeLetterOf,
    Sex: sexLetterOf,
    Color: ({ colors }) => colors[0],
    Description: ({ description }) => description,
    Status: () => "Available",
    GoodWKids: ({ goodWith }) => digitOf(goodWith.children),
    GoodWCats: ({ goodWith }) => digitOf(goodWith.cats),
    GoodWDogs: ({ goodWith }) => digitOf(goodWith.dogs),
    SpayedNeutered: ({ neutered }) => digitOf(neutered),
    ShotsCurrent: ({ vaccinated }) => digitOf(vaccinated),
    Housetrained: ({ houseTrained }) => digitOf(houseTrained),
    Declawed: UNKNOWN,
    SpecialNeeds: ({ specialNeeds }) => digitOf(specialNeeds),
    HairLength: coatOf,
    YouTubeVideoURL: ({ videoUrl }) => (isOnYouTube(videoUrl) ? videoUrl : undefined),
    Birthdate: birthDateOf,
    Sizecurrent: UNKNOWN,
    SizeUOM: UNKNOWN,
    AdoptionFee: feeOf,
    Cratetrained: UNKNOWN,
    HeartwormNegative: UNKNOWN,
    HeartwormPositive: UNKNOWN,
    Leashtrained: UNKNOWN,
    IndoorOnly: UNKNOWN,
    FIVPositive: UNKNOWN,
    SpecialDietaryNeeds: UNKNOWN,
  },
};

function isOnYouTube(url = ""): boolean {
  return YOUTUBE.test(URL.parse(url)?.hostname ?? "");
}
