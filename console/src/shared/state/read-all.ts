// Reads a whole list, up to a limit: the service has no search for keys and people.

import type { Client, Pages } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { ask } from "./session.ts";

const PAGES_MAX = 10;
export const READ_MAX = PAGES_MAX * PAGE_LIMIT_MAX;

/** `isCut` is true if there are more than were read. */
export function readAll<T>(
  list: (client: Client, limit: number) => Pages<T>,
  isWanted: (item: T) => boolean = () => true,
): Promise<{ items: T[]; isCut: boolean }> {
  return ask(async (client) => {
    const items: T[] = [];
    let pages = 0;
    for await (const page of list(client, PAGE_LIMIT_MAX).pages()) {
      items.push(...page.items.filter(isWanted));
      pages += 1;
      if (pages === PAGES_MAX) return { items, isCut: page.next !== undefined };
    }
    return { items, isCut: false };
  });
}
