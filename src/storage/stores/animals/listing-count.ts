// The number of animals in a list of listings, in SQL.

import type { ListingStore } from "../../../domain/animals/listing.ts";
import { LISTING_COUNT_MAX } from "../../../domain/basics/list-limits.ts";
import type { Database, SqlValue } from "../../database.ts";
import type { Search } from "../../search/search.ts";
import { createBindValue } from "../../statements.ts";
import { readConditions, SORTS, searchedList, selectIds } from "./listing-filter.ts";

/** The indexes are read in this order, from its start. */
const SORT = "newest";

export function createListingCount(
  db: Database,
  search: Search,
  max = LISTING_COUNT_MAX,
): ListingStore["count"] {
  return async (wanted, nowMs) => {
    const { statuses = [], words = [] } = wanted;
    if (words.length > 0)
      return search.count(words, await searchedList(db, wanted, { sort: SORT, nowMs }), max);
    // One more than the maximum shows that there are more.
    const values: SqlValue[] = [SORTS[SORT].start, max + 1];
    const bindValue = createBindValue(values);
    const list = await readConditions(db, wanted, { bindValue, nowMs, isInOrder: false });
    const parameters = { after: "$1", limit: "$2" };
    const some = selectIds(parameters, { sort: SORT, statuses, ...list, isInOrder: false });
    const row = await db.named(`SELECT count(*) AS found FROM (${some}) AS counted`, values);
    const found = Number(row?.found);
    return { count: Math.min(found, max), isExact: found <= max };
  };
}
