// The store of animals.

import type { Page } from "../basics/page.ts";
import type { Precondition } from "../basics/precondition.ts";
import type { Change, ChangeOrigin } from "./history.ts";
import type { Listing } from "./listing.ts";
import type { NewPet, Pet, PetChanges, PetStatus } from "./pet.ts";

/** Animals as sent to clients. */
export interface PetPageJson {
  /** A JSON array. */
  json: string;
  /** The id after which the next page begins; undefined on the last page. */
  nextAfter: bigint | undefined;
}

export interface PetStore {
  /** In ascending order of id, at most `page.limit`, starting after `page.after`. */
  list(filter: Pick<NewPet, "status">, page: Page): Promise<PetPageJson>;
  /** The animal belongs to the shelter of the key, or to the first one. Resolves after it is written to disk. */
  create(pet: Omit<Pet, "id">, origin: ChangeOrigin): Promise<Pet>;
  /** Resolves to undefined when no animal has this id. */
  find(id: bigint): Promise<Pet | undefined>;
  /** Undefined for an unknown id. Throws `other_shelter`, `precondition_failed`, and what `revisePet` throws. */
  update(
    id: bigint,
    changes: PetChanges,
    origin: ChangeOrigin,
    precondition?: Precondition<Listing>,
  ): Promise<Pet | undefined>;
  /** False for an unknown id. Throws `other_shelter`, `precondition_failed`, `pet_has_open_order`. */
  delete(id: bigint, origin: ChangeOrigin, precondition?: Precondition<Listing>): Promise<boolean>;
  /**
   * Changes of the animal and its orders in ascending order of number; also of a deleted animal. For a key of a shelter that
   * the animal does not belong to now, without the changes of orders.
   */
  history(id: bigint, page: Page & { keyShelterId?: bigint | undefined }): Promise<Change[]>;
  inventory(): Promise<Record<PetStatus, number>>;
}
