// A few animals and categories to look around with on an empty store.

import type { PetStatus } from "../../../client/src/client.ts";
import { ask } from "../state/session.ts";

const CATEGORIES: Array<[id: number, name: string]> = [
  [1, "Dogs"],
  [2, "Cats"],
  [3, "Small animals"],
];

const ANIMALS: Array<[name: string, categoryId: number, status?: PetStatus]> = [
  ["Rex", 1],
  ["Luna", 1],
  ["Bruno", 1, "pending"],
  ["Bella", 1, "sold"],
  ["Minka", 2],
  ["Momo", 2],
  ["Simba", 2],
  ["Tiger", 2, "sold"],
  ["Hoppel", 3],
  ["Flocke", 3],
  ["Pip", 3, "pending"],
  ["Krümel", 3],
];

/** Resolves to the number of animals. One after another, so that their ids follow this order. */
export async function loadSamples(): Promise<number> {
  await ask(async (client) => {
    for (const [id, name] of CATEGORIES) await client.putCategory(id, { name });
    for (const [name, categoryId, status] of ANIMALS) await client.createPet({ name, categoryId, status });
  });
  return ANIMALS.length;
}
