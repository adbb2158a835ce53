// Pages of listings as they are sent, and single listings.

import { type ListingStore, listingJson } from "../../domain/animals/listing.ts";
import { requirePet } from "../../domain/animals/pet.ts";
import { isPublicListing, type Visitor } from "../../domain/animals/public-listing.ts";
import type { Clock } from "../../domain/basics/clock.ts";
import { DAY_MS } from "../../domain/basics/durations.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { type ListingsRequest, visibleFilter } from "./listings-query.ts";
import { createCachedBody, createPageCache, type PageCache } from "./page-cache.ts";
import { type PageRequest, readPage } from "./pages.ts";

/** Listings are larger than animals, and have more filters: at most 16 million characters in each cache. */
const ENTRIES_MAX = 64;
const CACHED_CHARACTERS_MAX = 262_144;

export interface ListingPageRequest extends PageRequest {
  list: ListingsRequest;
  /** Absent for staff. */
  visitor?: Visitor | undefined;
}

export type ListingPages = PageCache<ListingPageRequest>;

interface Options {
  listings: ListingStore;
  clock: Clock;
  publicUrl: () => string;
}

/** Undefined for staff. */
export function visitorOf(key: ApiKey): Visitor | undefined {
  return key.kind === "publishable" ? key : undefined;
}

/** Visitors have a cache of their own: however many filters they use, the pages of staff stay cached. */
export function createListingPages(options: Options): ListingPages {
  const [ofStaff, ofVisitors] = [createAudiencePages(options), createAudiencePages(options)];
  const pagesFor = ({ visitor }: ListingPageRequest) => (visitor === undefined ? ofStaff : ofVisitors);
  return {
    recall: (request, version) => pagesFor(request).recall(request, version),
    read: (request, version) => pagesFor(request).read(request, version),
  };
}

function createAudiencePages({ listings, clock, publicUrl }: Options): ListingPages {
  return createPageCache({
    clock,
    async read({ list, visitor, ...request }) {
      const filter = visibleFilter(list, visitor);
      const address = { path: "listings", filters: list.parameters, base: `${publicUrl()}/v1` };
      const isPublic = visitor !== undefined;
      const view = { sort: list.sort, nowMs: clock.nowMs(), publicUrl: publicUrl(), isPublic };
      const { json, link } = await readPage(address, request, (page) => listings.list(filter, page, view));
      return createCachedBody(json, link);
    },
    // Age groups change at midnight, without any change of an animal.
    keyOf: ({ list, limit, visitor }) =>
      `${scopeOf(visitor, list)}${list.parameters.join("&")} ${limit} ${Math.floor(clock.nowMs() / DAY_MS)}`,
    entriesMax: ENTRIES_MAX,
    charactersMax: CACHED_CHARACTERS_MAX,
  });
}

/** Publishable keys of the same shelter, or of none, get the same pages. `namesHidden` refuses visitors. */
function scopeOf(visitor: Visitor | undefined, { namesHidden }: ListingsRequest): string {
  return visitor === undefined ? "" : `${visitor.shelterId ?? ""} ${namesHidden} `;
}

/** Throws `pet_not_found`, also for an animal that this key may not see. */
export async function readListing(
  { listings, clock, publicUrl }: Options,
  petId: bigint,
  key: ApiKey,
): Promise<string> {
  const listing = requirePet(await listings.find(petId));
  const visitor = visitorOf(key);
  const isPublic = visitor !== undefined;
  requirePet(isPublic && !isPublicListing(listing, visitor) ? undefined : listing);
  return listingJson(listing, { nowMs: clock.nowMs(), publicUrl: publicUrl(), isPublic });
}
