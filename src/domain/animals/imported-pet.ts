// An animal in a file: it is added to the store, or changes the animal that has its externalId.

import type { Listing } from "./listing.ts";
import { isSamePet, type NewPet, type Pet, type PetChanges, prepareNewPet, revisePet } from "./pet.ts";
import { type Profile, type ProfileChanges, reviseProfile } from "./profile.ts";

/** Absent members stay unchanged. An animal that is added needs a name and a category. */
export type ImportedPet = PetChanges & {
  profile?: ProfileChanges | undefined;
  /** The category of an animal that is added without a categoryId. */
  newCategoryId?: bigint | undefined;
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
export function prepareImported(pet: ImportedPet): Omit<Pet, "id"> & { profile: Profile } {
  const { name, status, categoryId = pet.newCategoryId } = pet;
  const profile = reviseImported({}, pet);
  return { ...prepareNewPet({ name, status, categoryId } as NewPet), profile };
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
  isProfileChanged: boolean;
}

/** The known animal after the changes. Throws what `revisePet` throws. */
export function reviseKnown({ openOrderId, ...known }: KnownPet, imported: ImportedPet): Revision {
  const pet = revisePet(known, imported, openOrderId);
  const profile = reviseImported(known.profile, imported);
  return {
    next: { ...known, ...pet, profile },
    isPetChanged: !isSamePet(known, pet),
    isProfileChanged: JSON.stringify(profile) !== JSON.stringify(known.profile),
  };
}
