// Searches animals, adoptions, people and keys: as many of them as the key may read.

import type { ApiKey, CallOptions, Listing, Order, Person } from "../../../client/src/client.ts";
import { normaliseText, readWords } from "../../../src/domain/animals/search-text.ts";
import type { Directory } from "../people/read-directory.ts";
import { readAnimals } from "../shared/state/animals-query.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { cutSearch } from "../shared/state/search-words.ts";
import { ask } from "../shared/state/session.ts";

/** Results of a kind; a link leads to the others. */
const SHOWN = 5;

interface Found<T> {
  items: T[];
  hasMore: boolean;
}

/** Absent kinds may not be read. A failure of one kind leaves the others. */
export interface FoundByKind {
  animals: Found<Listing> | undefined;
  orders: Found<Order> | undefined;
  people: Found<Person> | undefined;
  keys: Found<ApiKey> | undefined;
  failure: unknown;
}

/** Two requests for most texts; the first search reads the directory, too. */
export async function readFound(
  typed: string,
  directory: Directory,
  options: CallOptions,
): Promise<FoundByKind> {
  const words = readWords(typed);
  const [animals, orders, people, keys] = await Promise.allSettled([
    findAnimals(typed, options),
    isAllowed("listOrders") ? findOrders(typed, options) : undefined,
    directory.people.then((all) => choose(all, ({ name }) => hasWords(name, words))),
    // A device is found by its own name, and not by the person: that would be a second result for the same search.
    directory.keys.then((all) => choose(all, ({ name }) => hasWords(name, words))),
  ] as const);
  const failed = [animals, orders, people, keys].find(({ status }) => status === "rejected");
  return {
    animals: resultOf(animals),
    orders: resultOf(orders),
    people: isAllowed("listPeople") ? resultOf(people) : undefined,
    keys: isAllowed("listKeys") ? resultOf(keys) : undefined,
    failure: (failed as PromiseRejectedResult | undefined)?.reason,
  };
}

function resultOf<T>(result: PromiseSettledResult<T>): T | undefined {
  return result.status === "fulfilled" ? result.value : undefined;
}

async function findAnimals(q: string, options: CallOptions): Promise<Found<Listing>> {
  const anywhere = { status: undefined, categoryId: undefined, species: undefined, shelterId: undefined };
  const query = { ...anywhere, q, sort: "newest", limit: SHOWN } as const;
  const { items, next } = await readAnimals(query, undefined, options);
  return { items: items.slice(0, SHOWN), hasMore: next !== undefined || items.length > SHOWN };
}

async function findOrders(typed: string, options: CallOptions): Promise<Found<Order>> {
  const query = { q: cutSearch(typed), expand: "pet", sort: "newest", limit: SHOWN } as const;
  const { items, next } = await ask((client) => client.listOrders(query, options).page());
  return { items, hasMore: next !== undefined };
}

function choose<T>(all: T[], isFound: (item: T) => boolean): Found<T> {
  const found = all.filter(isFound);
  return { items: found.slice(0, SHOWN), hasMore: found.length > SHOWN };
}

function hasWords(name: string, words: string[]): boolean {
  const text = normaliseText(name);
  return words.every((word) => text.includes(word));
}
