// Changes the status of an animal, over a status between where the direct change is not allowed.

import { type Int64, type Pet, type PetStatus, TRANSITIONS } from "../../../client/src/client.ts";
import { ask } from "./session.ts";

/** Undoing "pending to adopted" needs two steps: an adopted animal becomes available first. */
export async function moveStatus(
  id: Int64,
  { from, to, signal }: { from: PetStatus; to: PetStatus; signal?: AbortSignal | undefined },
): Promise<Pet> {
  const isDirect = TRANSITIONS.PetStatus[from].includes(to);
  if (!isDirect) await ask((client) => client.updatePet(id, { status: "available" }, { signal }));
  return ask((client) => client.updatePet(id, { status: to }, { signal }));
}
