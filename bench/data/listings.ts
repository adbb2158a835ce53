// Animals with profiles for the part "listings", and how they are stored without the service.

import { companionBits, companionsOf, type Profile } from "../../src/domain/profile.ts";
import { searchTextOf } from "../../src/domain/search-text.ts";

/** Common words have few consonants, rare ones all of them: in a language too, a rare word has rare trigrams. */
const COMMON_SYLLABLES = syllablesOf("bdgklmnrst");
const SYLLABLES = syllablesOf("bcdfghjklmnpqrstvwxz");
const RARE_SYLLABLES = 4;

export const COMMON_WORD = "friendly";
/** Each rare word is in so many texts. */
export const RARE_ANIMALS = 10;

const SPECIES = ["dog", "cat", "dog", "rabbit"] as const;
const SEXES = ["male", "female"] as const;
const SIZES = ["small", "large", "medium"] as const;
const STATUSES = ["pending", "sold", "available", "available"] as const;
const WORDS = 2_000;
const DESCRIPTION_WORDS = 20;

/** Each index below a hundred million has its own word. */
export function rareWord(index: number): string {
  // Spreads the words over all combinations of syllables.
  return wordOf(SYLLABLES, (index * 7_654_321) % SYLLABLES.length ** RARE_SYLLABLES, RARE_SYLLABLES);
}

/** `i` counts from 1. Values of the columns of `pets` and `pet_texts` in the order of LISTING_COLUMNS. */
export function listingRow(i: number, animals: number): Array<string | number> {
  const profile: Profile = {
    species: SPECIES[i % 4] as Profile["species"] & string,
    breeds: [`${commonWord(i % 50)} ${commonWord(i % 7)}`],
    sex: SEXES[Math.floor(i / 4) % 2] as Profile["sex"] & string,
    bornOn: `20${10 + (i % 16)}-0${1 + (i % 9)}-11`,
    size: SIZES[Math.floor(i / 8) % 3] as Profile["size"] & string,
    goodWith: { children: i % 2 === 0 ? "yes" : "no" },
    description: describe(i, animals),
  };
  const pet = { name: `Animal ${i}`, categoryId: BigInt(i % 100), profile };
  return [
    ...[i, pet.name, i % 100, STATUSES[i % 4] as string, JSON.stringify(profile), profile.species as string],
    ...[profile.sex as string, profile.size as string, profile.bornOn as string],
    ...[companionBits(companionsOf(profile)), i, i, searchTextOf(pet)],
  ];
}

export const PET_COLUMNS =
  "id, name, category_id, status, profile, species, sex, size, born_on, good_with, created_at_ms, updated_at_ms";

function describe(i: number, animals: number): string {
  // Frequent words more often, as in a language; the same text in every run.
  const words = Array.from({ length: DESCRIPTION_WORDS }, (_, k) => {
    const chance = (((i * 31 + k * 17) * 7_919) % 10_007) / 10_007;
    return commonWord(Math.floor(WORDS ** chance));
  });
  const rare = rareWord(i % (animals / RARE_ANIMALS));
  return [...words, rare, ...(i % 3 === 0 ? [COMMON_WORD] : [])].join(" ");
}

export function commonWord(index: number): string {
  return wordOf(COMMON_SYLLABLES, (index * 7_919) % COMMON_SYLLABLES.length ** 3, 3);
}

function wordOf(syllables: string[], number: number, length: number): string {
  const count = syllables.length;
  return Array.from({ length }, (_, i) => syllables[Math.floor(number / count ** i) % count]).join("");
}

function syllablesOf(consonants: string): string[] {
  return [...consonants].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));
}
