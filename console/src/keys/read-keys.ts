// Reads the keys of a page, or all keys that a search finds: the service has no search for keys.

import type { ApiKey, Client } from "../../../client/src/client.ts";
import { describeKey } from "../shared/state/names.ts";
import { readAll } from "../shared/state/read-all.ts";
import { ask } from "../shared/state/session.ts";

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
  const list = (client: Client, limit: number) => client.listKeys({ limit }, { signal });
  return { ...(await readAll(list, (key) => isFound(key, q))), next: undefined };
}

/** Keeps only the beginning of a whole key: the search is in the address, where a secret must not be. */
export function cleanSearch(text: string): string {
  return text.startsWith("ask_") ? text.slice(0, HINT_LENGTH) : text;
}

/** The beginning of a publishable key, which is shown whole, can be longer than its hint. */
function isFound({ hint, key = hint, ...apiKey }: ApiKey, q: string): boolean {
  return describeKey(apiKey).toLocaleLowerCase().includes(q.toLocaleLowerCase()) || key.startsWith(q);
}
