// The animal of a page: reads it, and shows a new status before the service has stored it.

import { useSignal } from "@preact/signals";
import type { CallOptions, Listing, Pet, PetStatus } from "../../../../client/src/client.ts";
import { type LiveList, useLiveList } from "../../shared/parts/live-list.ts";
import { ensureCategories } from "../../shared/state/category-names.ts";
import { findOne } from "../../shared/state/find-one.ts";
import { petIdOf } from "../../shared/state/live.ts";
import { ensureShelters } from "../../shared/state/own-shelter.ts";
import { ensureSite } from "../../shared/state/public-site.ts";
import type { ShownPets } from "../use-status-moves.tsx";

export interface OneAnimal extends ShownPets {
  /** Null for an animal that does not exist. The client knows the ETags of these objects, and of no copy. */
  loaded: LiveList<Listing | null>;
  statusOf: (listing: Listing) => PetStatus;
  /** Shows the animal as the service has stored it. */
  store: (fresh: Listing) => void;
}

export function useAnimal(id: string): OneAnimal {
  /** Until the listing is read again. */
  const moved = useSignal<{ listing: Listing; status: PetStatus } | undefined>(undefined);
  const loaded = useLiveList((signal, retries) => readListing(id, { signal, retries }), [id], {
    kinds: ["pet", "listing", "category", "shelter"],
    // A new name of a category or a shelter may concern any animal.
    isRelevant: (event) => [undefined, id].includes(petIdOf(event)),
  });

  function replace(pets: Pet[]): void {
    const listing = loaded.data.peek();
    const pet = pets.find((each) => String(each.id) === String(listing?.id));
    if (listing && pet) moved.value = { listing, status: pet.status };
  }

  function store(fresh: Listing): void {
    loaded.data.value = fresh;
    // A read that runs may have begun before the change.
    void loaded.reload();
  }

  return {
    loaded,
    store,
    statusOf: (listing) => (moved.value?.listing === listing ? moved.value.status : listing.status),
    replace,
    hold: loaded.hold,
  };
}

async function readListing(id: string, options: CallOptions): Promise<Listing | null> {
  const [listing] = await Promise.all([
    findOne(id, (client, petId) => client.getListing(petId, options)),
    ensureCategories({ retries: options.retries }),
    ensureShelters({ retries: options.retries }),
    ensureSite(),
  ]);
  return listing;
}
