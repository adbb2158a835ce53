// The animals of the benchmarks: every store is filled with the same rows, by the import command of its release.

import { appendFileSync, writeFileSync } from "node:fs";

const SPECIES = ["dog", "cat", "dog", "rabbit"];
const SIZES = ["small", "large", "medium"];
const STATUSES = ["pending", "sold", "available", "available"];
const HEADING = "name,categoryId,status";
const PROFILE_HEADING = "species,breeds,sex,size,bornOn,goodWith.children,description";
const LINES_PER_WRITE = 10_000;

export const COMMON_WORD = "friendly";
/** Animals that have the same rare word. */
export const RARE_ANIMALS = 10;

/** Writes a CSV file. In an empty store, the animal of line `i` below the heading gets the id `i`. */
export function writeAnimals(path: string, animals: number, hasProfiles = true): void {
  writeFileSync(path, hasProfiles ? `${HEADING},${PROFILE_HEADING}\n` : `${HEADING}\n`);
  for (let first = 1; first <= animals; first += LINES_PER_WRITE) {
    const length = Math.min(LINES_PER_WRITE, animals - first + 1);
    const lines = Array.from({ length }, (_, k) => {
      const i = first + k;
      const profile = hasProfiles ? `,${profileOf(i, animals)}` : "";
      return `Animal ${i},${i % 100},${STATUSES[i % 4]}${profile}\n`;
    });
    appendFileSync(path, lines.join(""));
  }
}

function profileOf(i: number, animals: number): string {
  const [species, size] = [SPECIES[i % 4], SIZES[Math.floor(i / 8) % 3]];
  const [sex, children] = [Math.floor(i / 4) % 2 === 0 ? "male" : "female", i % 2 === 0 ? "yes" : "no"];
  const born = `20${10 + (i % 16)}-0${1 + (i % 9)}-11`;
  // Frequent words more often, as in a language; the same text in every run.
  const words = Array.from({ length: 20 }, (_, k) => {
    const chance = (((i * 31 + k * 17) * 7_919) % 10_007) / 10_007;
    return commonWord(Math.floor(2_000 ** chance));
  });
  words.push(rareWord(i % (animals / RARE_ANIMALS)), i % 3 === 0 ? COMMON_WORD : "");
  return [species, commonWord(i % 50), sex, size, born, children, words.join(" ").trimEnd()].join(",");
}

/** Each index below a hundred million has its own word. In a language too, a rare word has rare trigrams. */
export function rareWord(index: number): string {
  return wordOf("bcdfghjklmnpqrstvwxz", index * 7_654_321, 4);
}

function commonWord(index: number): string {
  return wordOf("bdgklmnrst", index * 7_919, 3);
}

/** Syllables of a consonant and a vowel, which are the digits of the number. */
function wordOf(consonants: string, number: number, syllables: number): string {
  const base = consonants.length * 5;
  const digits = Array.from({ length: syllables }, (_, i) => Math.floor(number / base ** i) % base);
  return digits.map((digit) => `${consonants[Math.floor(digit / 5)]}${"aeiou"[digit % 5]}`).join("");
}
