// Which animals the list shows: filters, search and order from the address, and the reading of one page.

import {
  type CallOptions,
  type CountListingsQuery,
  type Int64,
  type Inventory,
  type Listing,
  type ListingCount,
  type ListListingsQuery,
  type PetStatus,
  type Species,
  VALUES,
} from "../../../../client/src/client.ts";
import { findIdentifier } from "./identifier.ts";
import { queryChoice, queryValue } from "./place.ts";
import { cutSearch } from "./search-words.ts";
import { ask } from "./session.ts";

export const PAGE_SIZES = ["20", "50", "100"] as const;
export const SORTS = ["newest", "oldest"] as const;
/** Requests that fill a page: one of a search can have few animals although more follow. */
const READS_MAX = 5;

/** The number of an animal and nothing else. */
const NUMBERED = /^(?:#|No\.? ?|Nr\.? ?)(\d{1,18})$/i;
/** Words that contain it are found, too. */
const DIGITS = /^\d{1,19}$/;

export interface AnimalsQuery {
  status: PetStatus | undefined;
  /** As typed; empty if nothing is searched. */
  q: string;
  categoryId: Int64 | undefined;
  species: Species | undefined;
  shelterId: Int64 | undefined;
  sort: (typeof SORTS)[number];
  limit: number;
}

export interface AnimalsPage {
  items: Listing[];
  next: string | undefined;
}

export function currentAnimalsQuery(): AnimalsQuery {
  return {
    status: queryChoice("status", VALUES.PetStatus),
    q: (queryValue("q") ?? "").trim(),
    categoryId: findIdentifier(queryValue("category") ?? ""),
    species: queryChoice("species", VALUES.Species),
    shelterId: findIdentifier(queryValue("shelter") ?? ""),
    sort: queryChoice("sort", SORTS) ?? "newest",
    limit: Number(queryChoice("size", PAGE_SIZES) ?? PAGE_SIZES[0]),
  };
}

/** For `setFilter`. */
export const NO_FILTER = {
  q: undefined,
  status: undefined,
  category: undefined,
  species: undefined,
  shelter: undefined,
};

/** Without the search, which is always in view. */
export function countFilters({ status, categoryId, species, shelterId }: AnimalsQuery): number {
  return [status, categoryId, species, shelterId].filter((each) => each !== undefined).length;
}

/** Whether more than the status limits the list: then the inventory has no count for it. */
export function isNarrowed({ q, categoryId, species, shelterId }: AnimalsQuery): boolean {
  return q !== "" || [categoryId, species, shelterId].some((each) => each !== undefined);
}

export function listingsQuery(query: AnimalsQuery): ListListingsQuery {
  return { ...searchOf(query), sort: query.sort };
}

function searchOf(query: AnimalsQuery): CountListingsQuery {
  const number = NUMBERED.exec(query.q)?.[1];
  if (number !== undefined) return { ...filterOf(query), ids: number };
  return { ...filterOf(query), q: cutSearch(query.q) };
}

/** Without the search. */
function filterOf({ status, categoryId, species, shelterId }: AnimalsQuery): CountListingsQuery {
  const shelter = shelterId === undefined ? undefined : String(shelterId);
  return { status: status ?? "any", categoryId, species, shelterId: shelter };
}

/** One page. The first page of a search for digits starts with the animal whose number they are. */
export async function readAnimals(
  query: AnimalsQuery,
  cursor: string | undefined,
  options: CallOptions,
): Promise<AnimalsPage> {
  const isNumber = cursor === undefined && DIGITS.test(query.q);
  const [page, numbered] = await Promise.all([
    readFilledPage(query, cursor, options),
    isNumber ? readByIds([query.q], filterOf(query), options) : [],
  ]);
  const others = page.items.filter(({ id }) => !numbered.some((each) => each.id === id));
  return { ...page, items: [...numbered, ...others] };
}

/** The number of animals in all pages. */
export function countAnimals(query: AnimalsQuery, options: CallOptions): Promise<ListingCount> {
  return ask((client) => client.countListings(searchOf(query), options));
}

async function readFilledPage(
  query: AnimalsQuery,
  cursor: string | undefined,
  options: CallOptions,
): Promise<AnimalsPage> {
  const items: Listing[] = [];
  let next = cursor;
  for (let reads = 1; ; reads++) {
    const wanted = { ...listingsQuery(query), cursor: next, limit: query.limit - items.length };
    const page = await ask((client) => client.listListings(wanted, options).page());
    items.push(...page.items);
    next = page.next;
    if (next === undefined || items.length >= query.limit || reads === READS_MAX) return { items, next };
  }
}

/** Leaves out identifiers that the service cannot have. */
export async function readByIds(
  ids: string[],
  filter: ListListingsQuery,
  options: CallOptions,
): Promise<Listing[]> {
  const known = ids.filter((id) => findIdentifier(id) !== undefined);
  if (known.length === 0) return [];
  const query = { ...filter, ids: known.join(","), limit: known.length };
  return (await ask((client) => client.listListings(query, options).page())).items;
}

export function countAll({ available, pending, sold }: Inventory): number {
  return available + pending + sold;
}
