// Decides which animals the signed-in key may change where there are several shelters.

import type { CallOptions, Int64, Listing, OPERATIONS } from "../../../../client/src/client.ts";
import { onEvent } from "./live.ts";
import { hasAccess, isAllowed } from "./permissions.ts";
import { ask, session } from "./session.ts";
import { hasSeveralShelters, markSheltersChanged, updateShelters } from "./shelter-list.ts";

/** Undefined for a key of the whole network. */
export function ownShelterId(): Int64 | undefined {
  return session.value?.shelterId;
}

export function isOwnShelter({ id }: { id: Int64 }): boolean {
  return String(ownShelterId()) === String(id);
}

/** A key of one shelter reads all animals, and changes only its own. */
export function mayChange(
  operation: keyof typeof OPERATIONS,
  { shelter }: Pick<Listing, "shelter">,
): boolean {
  return isAllowed(operation) && !isOfOthers(shelter);
}

export function isOfOthers(shelter: { id: Int64 }): boolean {
  return ownShelterId() !== undefined && !isOwnShelter(shelter);
}

export function mayMoveAnimals(): boolean {
  return isAllowed("updateProfile") && ownShelterId() === undefined && hasSeveralShelters();
}

export function mayEditShelter(shelter: { id: Int64 }): boolean {
  return hasAccess("admin") || (isAllowed("updateShelter") && isOwnShelter(shelter));
}

/** Reads them again after a change. */
export async function ensureShelters(options: CallOptions = {}): Promise<void> {
  await ask((client) => updateShelters(client, options));
}

/** Called after a change. If they cannot be read now, the next view reads them. */
export async function reloadShelters(): Promise<void> {
  markSheltersChanged();
  await ensureShelters().catch(() => {});
}

onEvent((event) => {
  if (event === undefined || event.type.startsWith("shelter.")) markSheltersChanged();
});
