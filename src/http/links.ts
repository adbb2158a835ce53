// The Link headers: further pages, and where a deprecated operation leads.

import { encodeCursor } from "../domain/cursor.ts";

export interface ListPage<T> {
  items: T[];
  link: string | undefined;
}

/**
 * `rows` holds one item more than `limit` when there is a next page.
 * `url` is the list's address with its filters; `scope` binds the cursor to both.
 */
export function cutPage<T extends { id: bigint }>(
  rows: T[],
  { limit, url, scope }: { limit: number; url: URL; scope: string },
): ListPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items, link: undefined };
  url.searchParams.set("limit", String(limit));
  const first = url.href;
  url.searchParams.set("cursor", encodeCursor(scope, last.id));
  return { items, link: `<${url.href}>; rel="next", <${first}>; rel="first"` };
}
