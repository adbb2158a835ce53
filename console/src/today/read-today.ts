// Reads what Today shows, in a bounded number of requests: adoptions that wait, animals that need something, and the latest changes.

import type { CallOptions, Listing, Order, OrderCounts } from "../../../client/src/client.ts";
import { DAY_MS } from "../../../src/domain/basics/durations.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { noteOrderCounts } from "../shared/state/open-orders.ts";
import { ownShelterId } from "../shared/state/own-shelter.ts";
import { serviceNowMs } from "../shared/state/server-clock.ts";
import { ask } from "../shared/state/session.ts";

/** Rows of a section. */
export const SHOWN = 5;
/** Changes of this time are the latest ones. */
const CHANGED_MS = 7 * DAY_MS;

export interface Waiting {
  counts: OrderCounts;
  /** Placed ones; what expires first comes first. */
  placed: Order[];
  approved: Order[];
}

/** Three requests. */
export async function readWaiting(options: CallOptions): Promise<Waiting> {
  const shelterId = ownShelterId();
  const common = { shelterId, expand: "pet", limit: SHOWN } as const;
  const [counts, placed, approved] = await Promise.all([
    ask((client) => client.getOrderCounts(options)),
    ask((client) => client.listOrders({ ...common, status: "placed", sort: "ending" }, options).page()),
    ask((client) => client.listOrders({ ...common, status: "approved" }, options).page()),
  ]);
  noteOrderCounts(counts);
  return { counts, placed: placed.items, approved: approved.items };
}

export interface Needs {
  /** Animals that have neither a photo nor a story, or only one of them. */
  incomplete: Listing[];
  longest: Listing[];
  /** Whether there are more animals than were looked at. */
  isPart: boolean;
}

/** One request; two where the store has more animals than a page: those added first, and those added last. */
export async function readNeeds(options: CallOptions): Promise<Needs> {
  const own = ownShelterId();
  const query = {
    status: "available,pending",
    shelterId: own === undefined ? undefined : String(own),
    limit: PAGE_LIMIT_MAX,
  };
  const oldest = await ask((client) => client.listListings({ ...query, sort: "oldest" }, options).page());
  const isMore = oldest.next !== undefined;
  const newest = isMore
    ? await ask((client) => client.listListings({ ...query, sort: "newest" }, options).page())
    : { items: [] };
  const known = new Set(oldest.items.map(({ id }) => id));
  const animals = [...newest.items.filter(({ id }) => !known.has(id)), ...oldest.items.toReversed()];
  return {
    incomplete: animals.filter((animal) => lacksPhoto(animal) || lacksStory(animal)),
    longest: animals.toSorted((a, b) => (arrivalOf(a) < arrivalOf(b) ? -1 : 1)).slice(0, SHOWN),
    isPart: isMore && newest.items.length === PAGE_LIMIT_MAX && !newest.items.some(({ id }) => known.has(id)),
  };
}

export function lacksPhoto({ photos }: Listing): boolean {
  return photos.length === 0;
}

export function lacksStory({ profile }: Listing): boolean {
  return (profile.description ?? "").trim() === "";
}

/** The day on which the animal came, otherwise the day on which it was added. */
export function arrivalOf({ profile, createdAt }: Listing): string {
  return profile.arrivedOn ?? createdAt.slice(0, 10);
}

/** The animals that were changed last, in one request: their pages say who did what. */
export async function readChanged(options: CallOptions): Promise<Listing[]> {
  const updatedSince = new Date(serviceNowMs() - CHANGED_MS).toISOString();
  const query = { status: "any", updatedSince, limit: PAGE_LIMIT_MAX };
  const { items } = await ask((client) => client.listListings(query, options).page());
  return items.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, SHOWN);
}
