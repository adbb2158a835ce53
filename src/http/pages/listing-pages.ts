// Pages of listings as they are sent.

import type { ListingStore } from "../../domain/animals/listing.ts";
import type { Clock } from "../../domain/basics/clock.ts";
import { DAY_MS } from "../../domain/basics/durations.ts";
import type { ListingsRequest } from "./listings-query.ts";
import { createCachedBody, createPageCache, type PageCache } from "./page-cache.ts";
import { type PageRequest, readPage } from "./pages.ts";

/** Listings are larger than animals, and have more filters: at most 16 million characters in all. */
const ENTRIES_MAX = 64;
const CACHED_CHARACTERS_MAX = 262_144;

export interface ListingPageRequest extends PageRequest {
  list: ListingsRequest;
}

export type ListingPages = PageCache<ListingPageRequest>;

export function createListingPages(options: {
  listings: ListingStore;
  clock: Clock;
  publicUrl: () => string;
}): ListingPages {
  const { listings, clock, publicUrl } = options;
  return createPageCache({
    clock,
    async read({ list: { filter, sort, parameters }, ...request }) {
      const list = { path: "listings", filters: parameters, base: `${publicUrl()}/v1` };
      const view = { sort, nowMs: clock.nowMs(), publicUrl: publicUrl() };
      const { json, link } = await readPage(list, request, (page) => listings.list(filter, page, view));
      return createCachedBody(json, link);
    },
    // Age groups change at midnight, without any change of an animal.
    keyOf: ({ list, limit }) => `${list.parameters.join("&")} ${limit} ${Math.floor(clock.nowMs() / DAY_MS)}`,
    entriesMax: ENTRIES_MAX,
    charactersMax: CACHED_CHARACTERS_MAX,
  });
}
