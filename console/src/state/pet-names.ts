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

/** Looked for already: an animal that was not found then is not worth another look. */
const sought = new Set<string>();

/** An animal with an open order is pending, and one that was handed over is sold. Never rejects: names are an extra. */
export async function learnNamesOf(ids: Int64[]): Promise<void> {
  const wanted = ids.map(String).filter((id) => !names.value.has(id) && !sought.has(id));
  for (const id of wanted) sought.add(id);
  try {
    for (const status of ["pending", "sold", "available"] as const) {
      if (wanted.every((id) => names.value.has(id))) return;
      rememberPets((await ask((client) => client.listPets({ status, limit: 100 }).page())).items);
    }
  } catch {
    for (const id of wanted) sought.delete(id);
  }
}
