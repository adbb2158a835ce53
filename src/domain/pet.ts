// The animal: its fields, the moves of its status, and what it needs from storage.

import { ServiceError } from "./errors.ts";
import type { Change, Stamp } from "./history.ts";
import type { Page } from "./page.ts";
import { trimName } from "./text.ts";
import { refuseTransition, type Transitions } from "./transition.ts";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export interface PetTransition {
  from: PetStatus;
  to: PetStatus;
}

/** sold → available is a return. What starts an animal may be any status. */
export const PET_TRANSITIONS: Transitions<PetStatus> = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
};

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

/** A member that is absent stays as it is. */
export type PetChanges = Partial<NewPet>;

type Inventory = Record<PetStatus, number>;

interface PetFilter {
  status?: PetStatus | undefined;
}

/** Animals as the wire has them. */
interface PetPageJson {
  /** An array. */
  json: string;
  /** Undefined where there is none. */
  lastId: bigint | undefined;
  /** Whether there are others behind the last. */
  hasMore: boolean;
}

export interface PetStore {
  /** By id, rising, at most `page.limit`, starting after `page.after`. */
  list(filter: PetFilter, page: Page): Promise<PetPageJson>;
  /** Resolves once the animal is on disk. */
  create(pet: Omit<Pet, "id">, stamp: Stamp): Promise<Pet>;
  /** Resolves to undefined when no animal has this id. */
  find(id: bigint): Promise<Pet | undefined>;
  /** Undefined for an unknown id. Throws what `revisePet` throws. */
  update(id: bigint, changes: PetChanges, stamp: Stamp): Promise<Pet | undefined>;
  /** False for an unknown id. Throws `pet_has_open_order`. */
  delete(id: bigint, stamp: Stamp): Promise<boolean>;
  /** Changes of the animal and of its orders by number, rising; they outlive the animal. */
  history(id: bigint, page: Page): Promise<Change[]>;
  inventory(): Promise<Inventory>;
}

/** What is stored for a valid NewPet. */
export function prepareNewPet(pet: NewPet): Omit<Pet, "id"> {
  return { name: trimName(pet.name), categoryId: pet.categoryId, status: pet.status ?? "available" };
}

/** The animal as it will be. While an order is open, the status moves through the order alone. */
export function revisePet(pet: Pet, changes: PetChanges, hasOpenOrder: boolean): Pet {
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = changes;
  if (status !== pet.status) {
    if (hasOpenOrder) throw new ServiceError("pet_has_open_order");
    refuseTransition("animal", PET_TRANSITIONS, pet.status, status);
  }
  return { id: pet.id, name: trimName(name), categoryId, status };
}

export function isSamePet(one: Pet, other: Pet): boolean {
  return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}

/** As the schema of Pet is serialised; a test compares them. By hand, because JSON has no exact int64. */
export function petJson({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
