// Saves changes of an animal's name, category, status and shelter only while it still is what the user saw.

import {
  type ChangeOptions,
  type Client,
  etagOf,
  type Int64,
  type Listing,
  type Pet,
  type PetPatch,
  type PetStatus,
  PreconditionFailedError,
  TRANSITIONS,
} from "../../../../client/src/client.ts";
import { ATTEMPTS_MAX, ChangedByOthersError } from "./changed-by-others.ts";
import { isPassing } from "./failures.ts";
import { ask } from "./session.ts";

/**
 * `seen` is the animal as it was shown. Changes that others make to other members stay, and the same change by someone
 * else is a success. Throws a ChangedByOthersError.
 */
export function saveAnimal(seen: Pet, patch: PetPatch, signal?: AbortSignal): Promise<Pet> {
  return saveSeen<Pet>(seen, {
    isDone: (current) => isEqual(patch, current),
    isAsSeen: (current) => isEqual(pick(patch, seen), current),
    send: (client, options) => client.updatePet(seen.id, patch, options),
    signal,
  });
}

/** As `saveAnimal`. */
export function moveToShelter(seen: Listing, shelterId: Int64, signal?: AbortSignal): Promise<Listing> {
  const isIn = (current: Listing, id: Int64) => String(current.shelter.id) === String(id);
  return saveSeen<Listing>(seen, {
    isDone: (current) => isIn(current, shelterId),
    isAsSeen: (current) => isIn(current, seen.shelter.id),
    send: (client, options) => client.updateProfile(seen.id, { shelterId }, options),
    signal,
  });
}

interface Change<T> {
  isDone: (current: Listing) => boolean;
  isAsSeen: (current: Listing) => boolean;
  send: (client: Client, options: ChangeOptions) => Promise<T>;
  signal: AbortSignal | undefined;
}

async function saveSeen<T>(seen: Pet, { isDone, isAsSeen, send, signal }: Change<T>): Promise<T | Listing> {
  for (let attempt = 1; ; attempt++) {
    // Rows of a list have no ETag.
    const current = await ask((client) => client.getListing(seen.id, { signal }));
    if (isDone(current)) return current;
    if (!isAsSeen(current)) throw new ChangedByOthersError(current);
    try {
      return await ask((client) => send(client, { signal, ifMatch: etagOf(current) }));
    } catch (error) {
      // The client repeats no change with If-Match. Reading the animal again shows whether the change was made.
      const mayRepeat = error instanceof PreconditionFailedError || isPassing(error);
      if (!mayRepeat || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Over a status between where the direct change is not allowed: an adopted animal becomes available first. */
export async function moveStatus(seen: Pet, to: PetStatus, signal?: AbortSignal): Promise<Pet> {
  const isDirect = TRANSITIONS.PetStatus[seen.status].includes(to);
  const from = isDirect ? seen : await saveAnimal(seen, { status: "available" }, signal);
  return saveAnimal(from, { status: to }, signal);
}

function pick({ name, categoryId, status }: PetPatch, pet: Pet): PetPatch {
  return {
    ...(name !== undefined && { name: pet.name }),
    ...(categoryId !== undefined && { categoryId: pet.categoryId }),
    ...(status !== undefined && { status: pet.status }),
  };
}

function isEqual(patch: PetPatch, pet: Pet): boolean {
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = patch;
  return name === pet.name && String(categoryId) === String(pet.categoryId) && status === pet.status;
}
