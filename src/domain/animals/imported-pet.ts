// An animal in a file: it is added to the store, or changes the animal that has its externalId.

import type { ShelterSummary } from "../shelters/shelter.ts";
import type { Listing } from "./listing.ts";
import { isSamePet, type NewPet, type Pet, type PetChanges, prepareNewPet, revisePet } from "./pet.ts";
import { type Profile, type ProfileChanges, reviseProfile } from "./profile.ts";

/** Absent members stay unchanged. An animal that is added needs a name and a category. */
export type ImportedPet = PetChanges & {
  profile?: ProfileChanges | undefined;
  /** The category of an animal that is added without a categoryId. */
  newCategoryId?: bigint | undefined;
  /** The shelter of an animal that is added, or that a known one moves to. */
  shelterId?: bigint | undefined;
  /** Day of birth by the animal's age. A known exact one stays. */
  estimatedBornOn?: string | undefined;
};

/** An animal of the store that a file may change. */
export type KnownPet = Listing & { openOrderId: bigint | undefined };

/** Whether the animal can be added. */
export function isComplete({ name, categoryId, newCategoryId }: ImportedPet): boolean {
  return name !== undefined && (categoryId ?? newCategoryId) !== undefined;
}

/** The animal to add, which must be complete. */
export function prepareImported(
  pet: ImportedPet,
): Omit<Pet, "id"> & { profile: Profile; shelterId?: bigint | undefined } {
  const { name, status, categoryId = pet.newCategoryId, shelterId } = pet;
  const profile = reviseImported({}, pet);
  return {
    ...prepareNewPet({ name, status, categoryId } as NewPet),
    profile,
    ...(shelterId !== undefined && { shelterId }),
  };
}

interface ShelterProblem {
  member: "externalId" | "shelterId";
  message: string;
}

/** The reason why a key of this shelter may not import the row. A key without a shelter may import every row. */
export function findShelterProblem(
  { shelterId }: ImportedPet,
  known: Listing | undefined,
  keyShelterId: bigint | undefined,
): ShelterProblem | undefined {
  if (keyShelterId === undefined) return undefined;
  if (known !== undefined && known.shelter.id !== keyShelterId)
    return {
      member: "externalId",
      message: `the animal with this externalId belongs to another shelter: ${known.shelter.id}`,
    };
  if (shelterId === undefined || shelterId === keyShelterId) return undefined;
  return {
    member: "shelterId",
    message: `the API key belongs to shelter ${keyShelterId}, and imports only animals of this one`,
  };
}

function reviseImported(known: Profile, { profile = {}, estimatedBornOn }: ImportedPet): Profile {
  const isExact = known.bornOn !== undefined && known.bornIsEstimated !== true;
  if (estimatedBornOn === undefined || profile.bornOn !== undefined || isExact)
    return reviseProfile(known, profile);
  return reviseProfile(known, { ...profile, bornOn: estimatedBornOn, bornIsEstimated: true });
}

export interface Revision {
  next: Listing;
  isPetChanged: boolean;
  /** Also if the animal moves to another shelter. */
  isProfileChanged: boolean;
}

/** The known animal after the changes; `shelter` has the shelterId of the row. Throws what `revisePet` throws. */
export function reviseKnown(
  { openOrderId, ...known }: KnownPet,
  imported: ImportedPet,
  shelter: ShelterSummary = known.shelter,
): Revision {
  const pet = revisePet(known, imported, openOrderId);
  const profile = reviseImported(known.profile, imported);
  return {
    next: { ...known, ...pet, profile, shelter },
    isPetChanged: !isSamePet(known, pet),
    isProfileChanged:
      shelter.id !== known.shelter.id || JSON.stringify(profile) !== JSON.stringify(known.profile),
  };
}
