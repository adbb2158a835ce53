// Names of animals for the list of orders, which has identifiers only. getPet is deprecated, so they come from lists.

import { signal } from "@preact/signals";
import type { Int64, Pet } from "../../../client/src/client.ts";
import { onEvent } from "./live.ts";
import { ask } from "./session.ts";

const names = signal<ReadonlyMap<string, string>>(new Map());

export function rememberPets(pets: Pet[]): void {
  names.value = new Map([...names.value, ...pets.map(({ id, name }) => [String(id), name] as const)]);
}

/** Undefined for an animal in no list that was loaded. */
export function petName(id: Int64): string | undefined {
  return names.value.get(String(id));
}

/** Animals that were looked up: one that was not found is not looked up again. */
const lookedUp = new Set<string>();

/** Ordered animals are mostly pending or sold, so these lists come first. Never rejects: names are optional. */
export async function loadPetNames(ids: Int64[]): Promise<void> {
  const wanted = ids.map(String).filter((id) => !names.value.has(id) && !lookedUp.has(id));
  for (const id of wanted) lookedUp.add(id);
  try {
    for (const status of ["pending", "sold", "available"] as const) {
      if (wanted.every((id) => names.value.has(id))) return;
      rememberPets((await ask((client) => client.listPets({ status, limit: 100 }).page())).items);
    }
  } catch {
    for (const id of wanted) lookedUp.delete(id);
  }
}

onEvent((event) => {
  if (event?.type === "pet.created" || event?.type === "pet.updated") rememberPets([event.data.pet]);
});
