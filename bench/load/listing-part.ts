// The pages of the part "listings": what is requested, and what a good response is.

import { encodeCursor } from "../../src/domain/page.ts";
import { COMMON_WORD, RARE_ANIMALS, rareWord } from "../data/listings.ts";
import { PAGE_ITEMS } from "./workloads.ts";

export interface ListingPage {
  title: string;
  /** Description in the document. */
  meaning: string;
  /** `index` counts from 0: the requests differ, so that no cached page answers them. */
  path(index: number, animals: number): string;
  /** The number of listings on the page. */
  items: number;
  /** Whether it is compared with the bare server. */
  isShared?: boolean;
}

const FILTERS = "status=available&species=dog&sex=female&size=large";

export const LISTING_PAGES = {
  first: {
    title: "first page",
    meaning: "`GET /v1/listings`: 20 available animals with their profiles, the same for every request",
    path: () => "/v1/listings",
    items: PAGE_ITEMS,
    isShared: true,
  },
  filtered: {
    title: "filtered page",
    meaning: "three filters of the profile, a different page with every request",
    path: (index, animals) => pageBehind(FILTERS, index, animals),
    items: PAGE_ITEMS,
  },
  rare: {
    title: "rare word",
    meaning: `\`q\` with a word that ${RARE_ANIMALS} animals have, another one with every request`,
    path: (index, animals) => `/v1/listings?status=any&q=${rareWord(index % (animals / RARE_ANIMALS))}`,
    items: RARE_ANIMALS,
  },
  common: {
    title: "common word",
    meaning: "`q` with a word that every third animal has, a different page with every request",
    path: (index, animals) => pageBehind(`status=available&q=${COMMON_WORD}`, index, animals),
    items: PAGE_ITEMS,
  },
  absent: {
    title: "absent word",
    meaning: "`q` with a word that no animal has, another one with every request",
    path: (index) => `/v1/listings?q=${rareWord(index)}xx`,
    items: 0,
  },
} as const satisfies Record<string, ListingPage>;

export type ListingPageName = keyof typeof LISTING_PAGES;
export const LISTING_PAGE_NAMES = Object.keys(LISTING_PAGES) as ListingPageName[];
export const SEARCH_PAGES: ListingPageName[] = ["rare", "common", "absent"];

/** Starts in the newer half, so that every page is full. */
function pageBehind(filters: string, index: number, animals: number): string {
  const id = animals - ((index * 7) % Math.floor(animals / 2));
  return `/v1/listings?${filters}&cursor=${encodeCursor(`listings?${filters}`, BigInt(id))}`;
}
