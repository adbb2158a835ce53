// A page of a list: where it starts, what it holds, and the Link header to the next one.

import type { FastifyReply } from "fastify";
import { decodeCursor, encodeCursor } from "../domain/cursor.ts";
import { PAGE_LIMIT_DEFAULT, type Page } from "../domain/page.ts";

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface List<T> {
  /** The address below /v1, such as `pets`, with its filters as they stand in a query, such as `status=sold`. */
  path: string;
  filters?: string[];
  /** What /v1 is, in links. */
  base: string;
  read(page: Page): Promise<T[]>;
  /** What the list is ordered by. */
  place: (item: NoInfer<T>) => bigint;
}

export interface ReadPage<T> {
  items: T[];
  /** Absent on the last page. */
  link: string | undefined;
}

/** Resolves to the items of the page. Throws `invalid_cursor` for a cursor of another list or another filter. */
export async function answerPage<T>(reply: FastifyReply, request: PageRequest, list: List<T>): Promise<T[]> {
  const { items, link } = await readPage(request, list);
  if (link !== undefined) reply.header("link", link);
  return items;
}

export async function readPage<T>(
  { limit = PAGE_LIMIT_DEFAULT, cursor }: PageRequest,
  { path, filters = [], base, read, place }: List<T>,
): Promise<ReadPage<T>> {
  // The public address may change, the path below it and the filters are what a cursor belongs to.
  const scope = filters.length === 0 ? path : `${path}?${filters.join("&")}`;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor);
  // One more than asked for tells whether there is a next page.
  const rows = await read({ limit: limit + 1, after });
  if (rows.length <= limit) return { items: rows, link: undefined };
  const items = rows.slice(0, limit);
  const first = `${base}/${path}?${[...filters, `limit=${limit}`].join("&")}`;
  const next = `${first}&cursor=${encodeCursor(scope, place(items[limit - 1] as T))}`;
  return { items, link: `<${next}>; rel="next", <${first}>; rel="first"` };
}

export function placeById({ id }: { id: bigint }): bigint {
  return id;
}
