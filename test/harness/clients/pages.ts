// Lists in pages: one member of every item, the cursor of the next page, and all pages.

import type { Answer } from "./call.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Item = any;

/** One member of every item. */
export function column(items: readonly Item[], member: string): Item[] {
  return items.map((item) => item[member]);
}

/** The path of the next page below /v1; empty on the last page. */
export function nextPath({ headers }: Answer): string {
  return /<[^>]+\/v1([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1] ?? "";
}

/** The cursor of the next page; empty on the last page. */
export function nextCursor(page: Answer): string {
  return /[?&]cursor=([\w-]+)/.exec(nextPath(page))?.[1] ?? "";
}

/** Returns every page from this one on. `ask` gets a path below /v1. */
export async function readPages(ask: (path: string) => Promise<Answer>, first: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let path = first; path !== ""; ) {
    const page = await ask(path);
    if (page.status !== 200) throw new Error(`${path}: ${page.text}`);
    pages.push(page);
    path = nextPath(page);
  }
  return pages;
}

/** Returns every item of a list. `ask` gets a path below /v1. */
export async function walkAll<T>(ask: (path: string) => Promise<Answer>, list: string): Promise<T[]> {
  return (await readPages(ask, `${list}?limit=100`)).flatMap(({ json }) => json);
}
