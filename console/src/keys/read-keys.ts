// Reads the keys of a page, or all keys that a search finds: the service has no search for keys.

import type { ApiKey } from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { describeKey } from "../shared/state/names.ts";
import { ask } from "../shared/state/session.ts";

const SEARCHED_PAGES_MAX = 10;
export const SEARCHED_MAX = SEARCHED_PAGES_MAX * PAGE_LIMIT_MAX;
/** The service shows this much of a key. */
const HINT_LENGTH = "ask_live_x7Qm".length;

interface KeyPage {
  items: ApiKey[];
  next: string | undefined;
  /** True if there are more keys than a search reads. */
  isCut: boolean;
}

interface KeysQuery {
  q: string;
  cursor: string | undefined;
}

export async function readKeys({ q, cursor }: KeysQuery, signal: AbortSignal): Promise<KeyPage> {
  if (q === "") {
    const page = await ask((client) => client.listKeys({ cursor }, { signal }).page());
    return { ...page, isCut: false };
  }
  return ask(async (client) => {
    const items: ApiKey[] = [];
    let pages = 0;
    for await (const page of client.listKeys({ limit: PAGE_LIMIT_MAX }, { signal }).pages()) {
      items.push(...page.items.filter((key) => isFound(key, q)));
      pages += 1;
      if (pages === SEARCHED_PAGES_MAX) return { items, next: undefined, isCut: page.next !== undefined };
    }
    return { items, next: undefined, isCut: false };
  });
}

/** Keeps only the beginning of a whole key: the search is in the address, where a secret must not be. */
export function cleanSearch(text: string): string {
  return text.startsWith("ask_") ? text.slice(0, HINT_LENGTH) : text;
}

/** The beginning of a publishable key, which is shown whole, can be longer than its hint. */
function isFound({ hint, key = hint, ...apiKey }: ApiKey, q: string): boolean {
  return describeKey(apiKey).toLocaleLowerCase().includes(q.toLocaleLowerCase()) || key.startsWith(q);
}
