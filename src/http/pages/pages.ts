// The pagination protocol: reads the cursor and the limit, and links to the next page. Every list uses it.

import type { FastifyReply } from "fastify";
import { decodeCursor, encodeCursor, type PositionBits } from "../../domain/basics/cursor.ts";
import { PAGE_LIMIT_DEFAULT } from "../../domain/basics/list-limits.ts";
import type { Page } from "../../domain/basics/page.ts";

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface ListScope {
  /** Path below /v1 without a leading slash, such as `pets`. */
  path: string;
  /** Filters and the order as in the query, such as `status=sold`. */
  filters?: string[];
}

interface ListAddress extends ListScope {
  /** Address of /v1. */
  base: string;
  /** Other parameters that links repeat. A cursor is valid with and without them. */
  others?: string[];
  positionBits?: PositionBits;
}

type Numbered = { id: bigint } | { number: bigint };

interface List<T> extends ListAddress {
  read(page: Page): Promise<T[]>;
  /** Default: the id or number. */
  positionOf?(item: T): bigint;
}

/** Reads one page; `link` is undefined on the last. Throws `invalid_cursor` for a cursor of another list or filter. */
export async function readPage<R extends { nextAfter: bigint | undefined }>(
  list: ListAddress,
  { limit = PAGE_LIMIT_DEFAULT, cursor }: PageRequest,
  read: (page: Page) => Promise<R>,
): Promise<R & { link: string | undefined }> {
  const after = cursor === undefined ? undefined : decodeCursor(scopeOf(list), cursor, list.positionBits);
  const rows = await read({ limit, after });
  const { nextAfter } = rows;
  const link = nextAfter === undefined ? undefined : linkAfter(list, limit, nextAfter);
  return { ...rows, link };
}

/** Resolves to the items of the page and sets its Link header. */
export async function answerPage<T extends Numbered>(
  reply: FastifyReply,
  request: PageRequest,
  list: List<T>,
): Promise<T[]> {
  const { positionOf = numberOf } = list;
  const { items, link } = await readPage(list, request, async ({ limit, after }) => {
    // One row more than asked for shows whether there is a next page.
    const rows = await list.read({ limit: limit + 1, after });
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, nextAfter: last && positionOf(last) };
  });
  if (link !== undefined) reply.header("link", link);
  return items;
}

function linkAfter(list: ListAddress, limit: number, position: bigint): string {
  const { base, path, filters = [], others = [] } = list;
  const first = `${base}/${path}?${[...filters, ...others, `limit=${limit}`].join("&")}`;
  const cursor = encodeCursor(scopeOf(list), position, list.positionBits);
  return `<${first}&cursor=${cursor}>; rel="next", <${first}>; rel="first"`;
}

/** A cursor belongs to a path and its filters; the public address may change. */
export function scopeOf({ path, filters = [] }: ListScope): string {
  return filters.length === 0 ? path : `${path}?${filters.join("&")}`;
}

/** The number that the list is ordered by. */
function numberOf(item: Numbered): bigint {
  return "id" in item ? item.id : item.number;
}
