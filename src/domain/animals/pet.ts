// The animal: its fields and its status transitions.

import { ServiceError } from "../basics/errors.ts";
import { refuseTransition, type Transitions } from "../basics/transition.ts";
import { PET_SHAPE, writeShape } from "./json-shapes.ts";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export interface PetTransition {
  from: PetStatus;
  to: PetStatus;
}

/** sold → available is a return. A new animal may have any status. */
export const PET_TRANSITIONS: Transitions<PetStatus> = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
};

export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus | undefined;
}

export interface Pet {
  id: bigint;
  name: string;
  categoryId: bigint;
  status: PetStatus;
}

/** Absent members stay unchanged. */
export type PetChanges = Partial<NewPet>;

/** Throws `pet_not_found`. */
export function requirePet<T>(pet: T | undefined): T {
  if (pet === undefined) throw new ServiceError("pet_not_found");
  return pet;
}

/** Applies the defaults and trims the name. */
export function prepareNewPet(pet: NewPet): Omit<Pet, "id"> {
  return { name: pet.name.trim(), categoryId: pet.categoryId, status: pet.status ?? "available" };
}

/** Throws `pet_has_open_order` if there is one. */
export function refuseOpenOrder(orderId: bigint | undefined): void {
  if (orderId === undefined) return;
  const message = `The animal has an open order: deliver or cancel order ${orderId} first.`;
  throw new ServiceError("pet_has_open_order", { message });
}

/** The animal after the changes. Throws `pet_has_open_order`, `invalid_transition`. */
export function revisePet(pet: Pet, changes: PetChanges, openOrderId: bigint | undefined): Pet {
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = changes;
  if (status !== pet.status) {
    refuseOpenOrder(openOrderId);
    refuseTransition("animal", PET_TRANSITIONS, pet.status, status);
  }
  return { id: pet.id, name: name.trim(), categoryId, status };
}

export function isSamePet(one: Pet, other: Pet): boolean {
  return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}

/** Same text as the serialiser of the Pet schema; a test compares them. */
export function petJson(pet: Pet): string {
  return writeShape(PET_SHAPE, pet);
}
