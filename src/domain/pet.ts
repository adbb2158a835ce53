// The animal: its fields, the rules of its members, and what it needs from storage.

import type { Page } from "./page.ts";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export const PET_NAME_MAX = 255;

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

interface PetFilter {
  status?: PetStatus | undefined;
}

export interface PetStore {
  /** By id, rising, at most `page.limit`, starting after `page.after`. */
  list(filter: PetFilter, page: Page): Promise<Pet[]>;
  /** Resolves once the animal is on disk. */
  create(pet: Omit<Pet, "id">): Promise<Pet>;
  /** Resolves to undefined when no animal has this id. */
  find(id: bigint): Promise<Pet | undefined>;
}

/** What is stored for a valid NewPet. */
export function prepareNewPet(pet: NewPet): Omit<Pet, "id"> {
  return { name: pet.name.trim(), categoryId: pet.categoryId, status: pet.status ?? "available" };
}
