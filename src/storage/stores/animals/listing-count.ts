// The number of animals in a list of listings, in SQL.

import type { ListingFilter, ListingStore } from "../../../domain/animals/listing.ts";
import { LISTING_COUNT_MAX } from "../../../domain/basics/list-limits.ts";
import type { Database, SqlValue } from "../../database.ts";
import type { Search } from "../../search/search.ts";
import { readConditions, SORTS, searchedList, selectIds } from "./listing-query.ts";

/** The indexes are read in this order, from its start: SQLite's index of texts reads it fastest. */
const SORT = "newest";
const START = SORTS[SORT].start;

export function createListingCount(
  db: Database,
  search: Search,
  max = LISTING_COUNT_MAX,
): ListingStore["count"] {
  /** A search that takes too long ends with what it has found. */
  async function countFound(filter: ListingFilter, words: readonly string[], nowMs: number) {
    const list = await searchedList(db, filter, { sort: SORT, nowMs });
    const { ids, nextAfter } = await search(words, list, { limit: max, after: START });
    return { count: ids.length, isExact: nextAfter === undefined };
  }

  return async (wanted, nowMs) => {
    const { statuses = [], words = [], ...filter } = wanted;
    if (words.length > 0) return countFound(wanted, words, nowMs);
    // One more than the maximum shows that there are more.
    const values: SqlValue[] = [START, max + 1];
    const bindValue = (value: SqlValue) => `$${values.push(value)}`;
    const conditions = await readConditions(db, filter, { bindValue, nowMs });
    const parameters = { after: "$1", limit: "$2" };
    const some = selectIds(parameters, { sort: SORT, statuses, conditions, isInOrder: false });
    const row = await db.first(`SELECT count(*) AS found FROM (${some}) AS counted`, values);
    const found = Number(row?.found);
    return { count: Math.min(found, max), isExact: found <= max };
  };
}
