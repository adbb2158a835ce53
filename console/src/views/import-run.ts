// Carries out a planned import by the public interface, and reads what the plan needs to know of the store.

import type { Category, Int64, Listing } from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/list-limits.ts";
import { readCategories } from "../state/category-names.ts";
import { notify } from "../state/notices.ts";
import { ask } from "../state/session.ts";
import { t } from "../texts/language.ts";
import { type Addition, categoryKey, type Update } from "./import-plan.ts";

/** All animals of the store with one of these external ids. `onProgress` gets the number of animals read. */
export async function readKnown(
  externalIds: ReadonlySet<string>,
  signal: AbortSignal,
  onProgress: (read: number) => void,
): Promise<Map<string, Listing>> {
  const known = new Map<string, Listing>();
  if (externalIds.size === 0) return known;
  let read = 0;
  await ask(async (client) => {
    const pages = client.listListings({ status: "any", limit: PAGE_LIMIT_MAX }, { signal }).pages();
    for await (const { items } of pages) {
      for (const listing of items) {
        const { externalId } = listing.profile;
        if (externalId !== undefined && externalIds.has(externalId)) known.set(externalId, listing);
      }
      read += items.length;
      onProgress(read);
      if (known.size === externalIds.size) return;
    }
  });
  return known;
}

/** With the lowest free numbers. Resolves to their ids by the key of their name. */
export async function createCategories(names: string[], signal: AbortSignal): Promise<Map<string, Int64>> {
  const { items } = await readCategories({ signal });
  const taken = new Set(items.map(({ id }: Category) => String(id)));
  const created = new Map<string, Int64>();
  let free = 1;
  for (const name of names) {
    while (taken.has(String(free))) free += 1;
    const id = free;
    await ask((client) => client.putCategory(id, { name }, { signal }));
    taken.add(String(id));
    created.set(categoryKey(name), id);
  }
  return created;
}

export async function carryOut(
  step: Addition | Update,
  created: ReadonlyMap<string, Int64>,
  signal: AbortSignal,
): Promise<void> {
  const categoryId = step.categoryName && created.get(categoryKey(step.categoryName));
  const named = categoryId === undefined || categoryId === "" ? {} : { categoryId };
  if (step.kind === "update") {
    const { known, patch, profile } = step;
    if (patch) await ask((client) => client.updatePet(known.id, { ...patch, ...named }, { signal }));
    if (profile) await ask((client) => client.updateProfile(known.id, profile, { signal }));
    return;
  }
  const { pet, profile } = step;
  const whole = { ...pet, ...named } as Parameters<typeof add>[0];
  const id = await add(whole, signal);
  if (profile === undefined) return;
  try {
    await ask((client) => client.updateProfile(id, profile, { signal }));
  } catch (error) {
    // Half an animal would be added again by the next import.
    const removal = ask((client) => client.deletePet(id));
    const half = t().import.faults.half(String(id));
    // Who has stopped the import must not wait for a limit.
    if (signal.aborted) removal.catch(() => notify(half, { isFailure: true }));
    else await removal.catch(() => Promise.reject(new Error(half)));
    throw error;
  }
}

async function add(
  pet: { name: string; categoryId: Int64; status?: Addition["pet"]["status"] },
  signal: AbortSignal,
): Promise<Int64> {
  return (await ask((client) => client.createPet(pet, { signal }))).id;
}
