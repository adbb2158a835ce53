// The part of listings that everybody may see: of animals that can be adopted, without the members of the shelter's own.

import type { Listing, ListingFilter } from "./listing.ts";
import type { PetStatus } from "./pet.ts";

export const PUBLIC_STATUSES: readonly PetStatus[] = ["available", "pending"];

/** Somebody who sees public listings only; with `shelterId`, of one shelter only. */
export interface Visitor {
  shelterId?: bigint | undefined;
}

export function isPublicListing({ status, shelter }: Listing, { shelterId }: Visitor = {}): boolean {
  return PUBLIC_STATUSES.includes(status) && (shelterId === undefined || shelter.id === shelterId);
}

export function publicFilter(filter: ListingFilter, { shelterId }: Visitor = {}): ListingFilter {
  const { statuses = PUBLIC_STATUSES, shelterIds } = filter;
  const own = shelterId === undefined ? undefined : [shelterId];
  return {
    ...filter,
    statuses: statuses.filter((status) => PUBLIC_STATUSES.includes(status)),
    shelterIds: shelterIds && own ? own.filter((id) => shelterIds.includes(id)) : (own ?? shelterIds),
  };
}
