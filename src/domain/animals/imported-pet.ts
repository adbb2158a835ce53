// An animal in a file: it is added to the store, or changes the animal that has its externalId.

import type { Listing } from "./listing.ts";
import { isSamePet, type NewPet, type Pet, type PetChanges, prepareNewPet, revisePet } from "./pet.ts";
import { type Profile, type ProfileChanges, reviseProfile } from "./profile.ts";

/** Absent members stay unchanged. An animal that is added needs a name and a category. */
export type ImportedPet = PetChanges & { profile?: ProfileChanges | undefined };

/** An animal of the store that a file may change. */
export type KnownPet = Listing & { openOrderId: bigint | undefined };

/** Whether the animal can be added. */
export function isComplete(pet: ImportedPet): pet is ImportedPet & NewPet {
  return pet.name !== undefined && pet.categoryId !== undefined;
}

/** The animal to add. */
export function prepareImported(pet: ImportedPet & NewPet): Omit<Pet, "id"> & { profile: Profile } {
  const profile = pet.profile === undefined ? {} : reviseProfile({}, pet.profile);
  return { ...prepareNewPet(pet), profile };
}

export interface Revision {
  next: Listing;
  isPetChanged: boolean;
  isProfileChanged: boolean;
}

/** The known animal after the changes. Throws what `revisePet` throws. */
export function reviseKnown({ openOrderId, ...known }: KnownPet, imported: ImportedPet): Revision {
  const { profile: changes = {}, ...others } = imported;
  const pet = revisePet(known, others, openOrderId);
  const profile = reviseProfile(known.profile, changes);
  return {
    next: { ...known, ...pet, profile },
    isPetChanged: !isSamePet(known, pet),
    isProfileChanged: JSON.stringify(profile) !== JSON.stringify(known.profile),
  };
}
