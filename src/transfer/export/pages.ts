// Reads animals page by page, so that a large store is never in memory as a whole.

import type { Listing } from "../../domain/animals/listing.ts";
import type { Queries } from "../../storage/database.ts";
import { listListings } from "../../storage/stores/animals/listings.ts";

type Filter = Parameters<typeof listListings>[1];

/** In ascending order of id. No page is empty. */
export async function* readPages(
  queries: Queries,
  filter: Filter,
  pageRows: number,
): AsyncGenerator<Listing[]> {
  let after: bigint | undefined;
  for (;;) {
    const page = await listListings(queries, filter, { limit: pageRows, after });
    if (page.length > 0) yield page;
    if (page.length < pageRows) return;
    after = page.at(-1)?.id;
  }
}
