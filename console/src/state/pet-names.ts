// Names of animals that were seen lately: orders carry identifiers only, and the one operation to look one up is deprecated.

import { signal } from "@preact/signals";
import type { Int64, Pet } from "../../../client/src/client.ts";
import { ask } from "./session.ts";

const names = signal<ReadonlyMap<string, string>>(new Map());

export function rememberPets(pets: Pet[]): void {
  names.value = new Map([...names.value, ...pets.map(({ id, name }) => [String(id), name] as const)]);
}

/** Undefined for an animal that was not seen. */
export function petName(id: Int64): string | undefined {
  return names.value.get(String(id));
}

/** An animal with an open order is pending, and one that was handed over is sold. */
export async function learnNamesOf(ids: Int64[]): Promise<void> {
  for (const status of ["pending", "sold", "available"] as const) {
    if (ids.every((id) => petName(id) !== undefined)) return;
    rememberPets((await ask((client) => client.listPets({ status, limit: 100 }).page())).items);
  }
}
