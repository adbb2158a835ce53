// Reads a page of orders with the counts and their animals.

import type { CallOptions, Int64, Listing, Order, OrderCounts } from "../../../client/src/client.ts";
import { LISTED_IDS_MAX, PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { noteOrderCounts } from "../shared/state/open-orders.ts";
import { cutSearch } from "../shared/state/search-words.ts";
import { ask } from "../shared/state/session.ts";
import type { Choice } from "./order-filter.tsx";

interface OrdersPage {
  items: Order[];
  next: string | undefined;
  counts: OrderCounts;
  /** The animals, by their ids: those that are known. */
  animals: ReadonlyMap<string, Listing>;
  /** Whether there are more open orders than are shown. */
  hasMore: boolean;
}

interface OrdersQuery {
  filter: Choice | "open";
  petId: Int64 | undefined;
  shelterId: Int64 | undefined;
  /** As typed; empty if nothing is searched. */
  q: string;
  cursor: string | undefined;
}

/** What waits for staff comes first: the hold that ends first, and the longest approved. */
const SORTS = { placed: "ending", approved: "oldest" } as const;

export async function readOrders(query: OrdersQuery, options: CallOptions): Promise<OrdersPage> {
  const [page, counts] = await Promise.all([
    query.filter === "open" ? readOpen(query, options) : readSome(query, options),
    ask((client) => client.getOrderCounts(options)),
  ]);
  noteOrderCounts(counts);
  return { ...page, counts, animals: await readAnimals(page.items, options) };
}

/** Those that wait for approval first: their holds end. */
async function readOpen({ petId, shelterId, q }: OrdersQuery, options: CallOptions) {
  const common = { petId, shelterId, q: cutSearch(q), expand: "pet", limit: PAGE_LIMIT_MAX } as const;
  const pages = await Promise.all(
    (["placed", "approved"] as const).map((status) => {
      const query = { ...common, status, sort: SORTS[status] };
      return ask((client) => client.listOrders(query, options).page());
    }),
  );
  return {
    items: pages.flatMap(({ items }) => items),
    next: undefined,
    hasMore: pages.some(({ next }) => next !== undefined),
  };
}

async function readSome({ filter, petId, shelterId, q, cursor }: OrdersQuery, options: CallOptions) {
  const status = filter === "open" || filter === "all" ? undefined : filter;
  const sort = status === "placed" || status === "approved" ? SORTS[status] : "newest";
  const query = { status, petId, shelterId, q: cutSearch(q), cursor, expand: "pet", sort } as const;
  const { items, next } = await ask((client) => client.listOrders(query, options).page());
  return { items, next, hasMore: false };
}

/** In one request. Photos are optional, so a failure leaves them out. */
async function readAnimals(orders: Order[], options: CallOptions): Promise<ReadonlyMap<string, Listing>> {
  const ids = [...new Set(orders.flatMap(({ pet }) => (pet === undefined ? [] : [String(pet.id)])))];
  if (ids.length === 0) return new Map();
  const query = { ids: ids.slice(0, LISTED_IDS_MAX).join(","), status: "any", limit: PAGE_LIMIT_MAX };
  try {
    const { items } = await ask((client) => client.listListings(query, { ...options, retries: 0 }).page());
    return new Map(items.map((animal) => [String(animal.id), animal]));
  } catch {
    return new Map();
  }
}
