// A new animal with the texts that are stored for it.

import type { Pet } from "../../../domain/animals/pet.ts";
import type { Profile } from "../../../domain/animals/profile.ts";
import { searchTextOf } from "../../../domain/animals/search-text.ts";
import { toStateText } from "./history.ts";
import { profileText } from "./profile-columns.ts";

export interface PreparedPet extends Omit<Pet, "id"> {
  profile: Profile;
  /** Null for an empty profile. */
  profileText: string | null;
  /** The state of the animal without its profile, as JSON. */
  stateText: string;
  searchText: string;
}

export type PetToAdd = Omit<Pet, "id"> & { profile?: Profile | undefined };

/** Needs no database: others wait less for a transaction that adds animals if this is done before. */
export function preparePet({ name, categoryId, status, profile = {} }: PetToAdd): PreparedPet {
  return {
    name,
    categoryId,
    status,
    profile,
    profileText: profileText(profile),
    stateText: toStateText({ name, categoryId, status }),
    searchText: searchTextOf({ name, categoryId, profile }),
  };
}
