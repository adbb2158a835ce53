// Finds the animals of the store that have the external ids of a file, with few requests.

import type { Listing } from "../../../client/src/client.ts";
import { isPrefixWord, readWords, SEARCH_WORDS_MAX } from "../../../src/domain/animals/search-text.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { countAll } from "../shared/state/animals-query.ts";
import { ask } from "../shared/state/session.ts";

type Known = Map<string, Listing>;

/** `onProgress` gets the number of animals, or of external ids, that were read. */
export async function readKnown(
  externalIds: ReadonlySet<string>,
  signal: AbortSignal,
  onProgress: (read: number) => void,
): Promise<Known> {
  const known: Known = new Map();
  if (externalIds.size === 0) return known;
  const inventory = await ask((client) => client.getInventory({ signal }));
  const pages = Math.ceil(countAll(inventory) / PAGE_LIMIT_MAX);
  const isFew = externalIds.size < pages && [...externalIds].every(canBeSearched);
  let read = 0;
  const countRead = (more: number) => {
    read += more;
    onProgress(read);
  };
  const collect = (items: Listing[]) => {
    for (const listing of items) {
      const { externalId } = listing.profile;
      if (externalId !== undefined && externalIds.has(externalId)) known.set(externalId, listing);
    }
  };
  if (!isFew) {
    await readPages(undefined, signal, (items) => {
      collect(items);
      countRead(items.length);
      return known.size === externalIds.size;
    });
    return known;
  }
  for (const externalId of externalIds) {
    await readPages(externalId, signal, (items) => {
      collect(items);
      return known.has(externalId);
    });
    countRead(1);
  }
  return known;
}

/** Until `take` returns true, or to the last page. */
async function readPages(
  q: string | undefined,
  signal: AbortSignal,
  take: (items: Listing[]) => boolean,
): Promise<void> {
  await ask(async (client) => {
    const query = { status: "any", limit: PAGE_LIMIT_MAX, q } as const;
    for await (const { items } of client.listListings(query, { signal }).pages()) if (take(items)) return;
  });
}

/** Whether a search for the text finds the animals that have it as their external id. */
function canBeSearched(externalId: string): boolean {
  const words = readWords(externalId);
  return words.length > 0 && words.length <= SEARCH_WORDS_MAX && !words.some(isPrefixWord);
}
