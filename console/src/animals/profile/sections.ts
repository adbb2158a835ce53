// The sections of an animal's page that are edited on their own, with the members that each of them saves.

import type { MemberName } from "./profile-fields.ts";

/** Members that are answered with yes, no or unknown. */
export const ANSWERS = [
  "goodWithChildren",
  "goodWithDogs",
  "goodWithCats",
  "neutered",
  "vaccinated",
  "houseTrained",
  "specialNeeds",
] as const;

export const SECTIONS = {
  identity: ["name", "categoryId", "species", "breeds", "mixed", "sex", "bornOn", "bornIsEstimated"],
  traits: ["size", "coat", "colors", ...ANSWERS, "tags"],
  story: ["description", "videoUrl"],
  records: ["arrivedOn", "feeAmount", "externalId"],
} as const satisfies Record<string, readonly MemberName[]>;

export type SectionName = keyof typeof SECTIONS;
