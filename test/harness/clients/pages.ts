// Follows the links from one page of a list to the next.

import type { Answer } from "./call.ts";

/** The path of the next page below /v1; empty on the last page. */
export function nextPath({ headers }: Answer): string {
  return /<[^>]+\/v1([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1] ?? "";
}

/** Returns every item of a list. `ask` gets a path below /v1. */
export async function walkAll<T>(ask: (path: string) => Promise<Answer>, list: string): Promise<T[]> {
  const items: T[] = [];
  for (let path = `${list}?limit=100`; path !== ""; ) {
    const page = await ask(path);
    if (page.status !== 200) throw new Error(`${path}: ${page.text}`);
    items.push(...page.json);
    path = nextPath(page);
  }
  return items;
}
