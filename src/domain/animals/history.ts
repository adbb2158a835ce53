// The record of every change of an animal, an order, a category, a listing or a shelter: kind, states before and after, time, API key.

import type { PersonName } from "../keys/person-name.ts";
import type { Shelter, ShelterSummary } from "../shelters/shelter.ts";
import type { ListedPhoto } from "./listed-photo.ts";
import type { AgeGroup, Profile } from "./profile.ts";

/** Kinds that the history of an animal contains. */
export const PET_CHANGE_KINDS = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "order.created",
  "order.updated",
  "listing.updated",
] as const;
export const SHELTER_CHANGE_KINDS = ["shelter.created", "shelter.updated", "shelter.deleted"] as const;
export type ChangeKind =
  | (typeof PET_CHANGE_KINDS)[number]
  | "category.updated"
  | "category.deleted"
  | (typeof SHELTER_CHANGE_KINDS)[number];

/** Time and author of a change. Without a key, the service itself or an operator's command made it. */
export interface ChangeOrigin {
  keyId?: bigint | undefined;
  atMs: number;
}

/**
 * An animal has a status, a name and a category; an order has a status and a reference; a category has a name; a shelter has
 * `shelterMembers`. A listing has what an animal has, and the members after `expiresAtMs`.
 */
export interface ChangedState {
  status?: string;
  name?: string;
  categoryId?: bigint;
  reference?: string;
  /** When a placed order expires. Absent in changes that were recorded by release 1.0. */
  expiresAtMs?: number;
  profile?: Profile;
  photos?: ListedPhoto[];
  categoryName?: string;
  ageGroup?: AgeGroup;
  createdAtMs?: number;
  /** Absent before release 1.2. Before a change, only if the animal has moved to another shelter. */
  shelter?: ShelterSummary;
  shelterMembers?: Omit<Shelter, "id">;
}

export interface Change {
  /** Increases by one with every change; no change becomes visible before one with a lower number. */
  number: bigint;
  type: ChangeKind;
  /** 0 for a change of a category or a shelter. */
  petId: bigint;
  orderId?: bigint | undefined;
  categoryId?: bigint | undefined;
  shelterId?: bigint | undefined;
  /** Absent if it was created. */
  from?: ChangedState | undefined;
  /** Absent if it was deleted. */
  to?: ChangedState | undefined;
  atMs: number;
  keyId?: bigint | undefined;
  /** Read with the changes of one animal, and no part of events. */
  person?: PersonName | undefined;
}

/** The change as the history of an animal shows it, without undefined members. */
export function describeChange(change: Change) {
  const { number, type, petId, orderId, from, to, atMs, keyId, person } = change;
  return {
    number,
    what: type as (typeof PET_CHANGE_KINDS)[number],
    petId,
    at: new Date(atMs),
    ...(orderId !== undefined && { orderId }),
    ...(from && { from: describeState(from, from.shelter) }),
    ...(to && { to: describeState(to, from?.shelter && to.shelter) }),
    ...(keyId !== undefined && { keyId }),
    ...(person && { person }),
  };
}

function describeState(
  { status = "", name, categoryId, reference, profile }: ChangedState,
  shelter: ShelterSummary | undefined,
) {
  return {
    status,
    ...(name !== undefined && { name }),
    ...(categoryId !== undefined && { categoryId }),
    ...(reference !== undefined && { reference }),
    ...(profile !== undefined && { profile }),
    ...(shelter !== undefined && { shelterId: shelter.id }),
  };
}
