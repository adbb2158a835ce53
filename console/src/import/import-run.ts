// Carries out a planned import by the public interface.

import type { Int64 } from "../../../client/src/client.ts";
import { categoryKey } from "../../../src/domain/animals/category-key.ts";
import { readCategories } from "../shared/state/category-names.ts";
import { notify } from "../shared/state/notices.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { type Addition, findHighestId, type Plan, type Update } from "./import-plan.ts";

/** With numbers above those of the categories and the file. Resolves to their ids by the key of their name. */
export async function createCategories(
  { newCategories, highestCategoryId }: Plan,
  signal: AbortSignal,
): Promise<Map<string, Int64>> {
  const created = new Map<string, Int64>();
  if (newCategories.length === 0) return created;
  const { items } = await readCategories({ signal });
  let last = findHighestId([highestCategoryId, ...items.map(({ id }) => id)]);
  for (const name of newCategories) {
    const id = await findUnused(last + 1, signal);
    await ask((client) => client.putCategory(id, { name }, { signal }));
    created.set(categoryKey(name), id);
    last = id;
  }
  return created;
}

/**
 * A number that no animal has: animals may have a number without a name, and a new name must not apply to them. The steps
 * grow, so that a long run of such numbers needs few requests.
 */
async function findUnused(from: number, signal: AbortSignal): Promise<number> {
  let id = from;
  for (let step = 1; Number.isSafeInteger(id); step *= 2) {
    const categoryId = id;
    const query = { status: "any", categoryId } as const;
    const { count } = await ask((client) => client.countListings(query, { signal }));
    if (count === 0) return id;
    id += step;
  }
  throw new Error(t().import.noFreeNumber);
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
