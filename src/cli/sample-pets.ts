// Sample animals with realistic names, categories and statuses, the same on every call.

import type { Category } from "../domain/category.ts";
import type { Pet, PetStatus } from "../domain/pet.ts";

const CATEGORY_NAMES = ["Dogs", "Cats", "Rabbits", "Guinea pigs", "Birds", "Tortoises"];
export const SAMPLE_CATEGORIES: Category[] = CATEGORY_NAMES.map((name, index) => {
  return { id: BigInt(index + 1), name };
});

/** Category ids, repeated by their share: mostly dogs and cats. */
const CATEGORY_IDS = [1, 2, 1, 2, 3, 1, 2, 1, 4, 2, 1, 2, 5, 1, 2, 3, 1, 2, 6, 2];
const STATUSES: PetStatus[] = [
  "available",
  "available",
  "pending",
  "available",
  "sold",
  "available",
  "available",
];
const NAMES =
  `Luna Rex Bella Max Nala Charlie Mia Bruno Lilly Oscar Kira Balu Emma Rocky Coco Sam Lotte Felix Ronja Paul
  Maja Toby Frieda Leo Zoe Anton Kitty Jack Penny Carlo Molly Buddy Tilda Simba Ella Filou Pixie Hugo Rosie Murphy
  Amy Benny Trixi Zorro Lucy Caruso Socke`.split(/\s+/);

/** The lengths of the lists have no common divisor, so that all combinations occur. */
export function makeSamplePets(count: number): Array<Omit<Pet, "id">> {
  return Array.from({ length: count }, (_, index) => ({
    name: pick(NAMES, index),
    categoryId: BigInt(pick(CATEGORY_IDS, index)),
    status: pick(STATUSES, index),
  }));
}

function pick<T>(list: T[], index: number): T {
  return list[index % list.length] as T;
}
