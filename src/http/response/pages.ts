// Pages of lists: cursor, items, and the Link header to the next page.

import type { FastifyReply } from "fastify";
import { decodeCursor, encodeCursor } from "../../domain/cursor.ts";
import { PAGE_LIMIT_DEFAULT, type Page } from "../../domain/page.ts";

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface ListAddress {
  /** The path below /v1, such as `pets`; filters as in a query, such as `status=sold`. */
  path: string;
  filters?: string[];
  /** The address of /v1, for links. */
  base: string;
}

export interface List<T> extends ListAddress {
  read(page: Page): Promise<T[]>;
  /** The position of an item in the order of the list. */
  place: (item: NoInfer<T>) => bigint;
}

/** Resolves to the items of the page. Throws `invalid_cursor` for a cursor of another list or another filter. */
export async function answerPage<T>(
  reply: FastifyReply,
  { limit = PAGE_LIMIT_DEFAULT, cursor }: PageRequest,
  list: List<T>,
): Promise<T[]> {
  // One item more than requested tells whether there is a next page.
  const rows = await list.read({ limit: limit + 1, after: placeOf(list, cursor) });
  if (rows.length <= limit) return rows;
  const items = rows.slice(0, limit);
  reply.header("link", linkAfter(list, limit, list.place(items[limit - 1] as T)));
  return items;
}

/** The position that a cursor points to; undefined for the first page. */
export function placeOf(list: ListAddress, cursor: string | undefined): bigint | undefined {
  return cursor === undefined ? undefined : decodeCursor(scopeOf(list), cursor);
}

/** The Link header of a page with a next page. */
export function linkAfter(list: ListAddress, limit: number, place: bigint): string {
  const { base, path, filters = [] } = list;
  const first = `${base}/${path}?${[...filters, `limit=${limit}`].join("&")}`;
  return `<${first}&cursor=${encodeCursor(scopeOf(list), place)}>; rel="next", <${first}>; rel="first"`;
}

/** A cursor belongs to a path and its filters, not to the public address, which may change. */
function scopeOf({ path, filters = [] }: ListAddress): string {
  return filters.length === 0 ? path : `${path}?${filters.join("&")}`;
}

export function placeById({ id }: { id: bigint }): bigint {
  return id;
}
