// Sample animals and categories for an empty store.

import type { Int64, PetStatus } from "../../../client/src/client.ts";
import { ask } from "../state/session.ts";

const DOGS = "Dogs";
const CATS = "Cats";
const SMALL = "Small animals";

const ANIMALS: Array<[name: string, category: string, status?: PetStatus]> = [
  ["Rex", DOGS],
  ["Luna", DOGS],
  ["Bruno", DOGS, "pending"],
  ["Bella", DOGS, "sold"],
  ["Minka", CATS],
  ["Momo", CATS],
  ["Simba", CATS],
  ["Tiger", CATS, "sold"],
  ["Hoppel", SMALL],
  ["Flocke", SMALL],
  ["Pip", SMALL, "pending"],
  ["Krümel", SMALL],
];

let running: Promise<number> | undefined;

/** Resolves to the number of animals. A second call while the first runs returns the same promise. */
export function loadSamples(): Promise<number> {
  running ??= addSamples().finally(() => {
    running = undefined;
  });
  return running;
}

/** In sequence, so that the ids follow this order. */
async function addSamples(): Promise<number> {
  const ids = await nameCategories([DOGS, CATS, SMALL]);
  for (const [name, category, status] of ANIMALS) {
    const categoryId = ids.get(category) as Int64;
    await ask((client) => client.createPet({ name, categoryId, status }));
  }
  return ANIMALS.length;
}

/** Uses existing categories with the same name, and renames none. */
async function nameCategories(wanted: string[]): Promise<Map<string, Int64>> {
  const ids = new Map<string, Int64>();
  const taken = new Set<string>();
  await ask(async (client) => {
    for await (const { id, name } of client.listCategories({ limit: 100 })) {
      ids.set(name, id);
      taken.add(String(id));
    }
  });
  let free = 1;
  for (const name of wanted.filter((each) => !ids.has(each))) {
    while (taken.has(String(free))) free += 1;
    const id = free;
    await ask((client) => client.putCategory(id, { name }));
    free += 1;
    ids.set(name, id);
  }
  return ids;
}
