// A page of a list: where it starts, what it holds, and the Link header to the next one.

import type { FastifyReply } from "fastify";
import { decodeCursor, encodeCursor } from "../domain/cursor.ts";
import { PAGE_LIMIT_DEFAULT, type Page } from "../domain/page.ts";

interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface List<T> {
  /** The list's address with its filters. */
  url: URL;
  read(page: Page): Promise<T[]>;
  /** What the list is ordered by. */
  place: (item: NoInfer<T>) => bigint;
}

/** Resolves to the items of the page. Throws `invalid_cursor` for a cursor of another list or another filter. */
export async function answerPage<T>(
  reply: FastifyReply,
  { limit = PAGE_LIMIT_DEFAULT, cursor }: PageRequest,
  { url, read, place }: List<T>,
): Promise<T[]> {
  // The public address may change, the path below it and the filters are what a cursor belongs to.
  const scope = url.pathname.replace(/^.*\/v1\//, "") + url.search;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor);
  // One more than asked for tells whether there is a next page.
  const rows = await read({ limit: limit + 1, after });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length > limit && last !== undefined)
    reply.header("link", pageLinks(url, limit, encodeCursor(scope, place(last))));
  return items;
}

function pageLinks(url: URL, limit: number, cursor: string): string {
  url.searchParams.set("limit", String(limit));
  const first = url.href;
  url.searchParams.set("cursor", cursor);
  return `<${url.href}>; rel="next", <${first}>; rel="first"`;
}

export function placeById({ id }: { id: bigint }): bigint {
  return id;
}
