// How many animals the list has, as far as it is known, and how many a page shows.

import type { Inventory, ListingCount } from "../../../../client/src/client.ts";
import {
  type AnimalsPage,
  type AnimalsQuery,
  countAll,
  isNarrowed,
  PAGE_SIZES,
} from "../../shared/state/animals-query.ts";
import { formatAnimals, formatCount } from "../../shared/state/format.ts";
import { setFilter } from "../../shared/state/place.ts";
import { hasTooManyWords } from "../../shared/state/search-words.ts";
import { t } from "../../shared/texts/language.ts";

interface AnimalsTotalProps {
  query: AnimalsQuery;
  page: AnimalsPage & { inventory: Inventory };
  pageNumber: number;
  /** How many animals the filter or search finds. Undefined until the service has counted them. */
  counted: ListingCount | undefined;
}

export function AnimalsTotal({ query, page, pageNumber, counted }: AnimalsTotalProps) {
  const texts = t().animals;
  return (
    <p class="total quiet" role="status">
      {describeTotal()}
      {hasTooManyWords(query.q) && ` ${texts.firstWords}`}
    </p>
  );

  /** Without a count, a list is counted as far as it has been read. */
  function describeTotal(): string {
    const { items, next, inventory } = page;
    const total = totalOf(query, inventory);
    if (total !== undefined) return formatAnimals(total);
    const read = (pageNumber - 1) * query.limit + items.length;
    const isWhole = pageNumber === 1 && next === undefined;
    if (counted?.exact && !isWhole) return texts.found(counted.count, formatCount(counted.count));
    if (next === undefined) return texts.found(read, formatCount(read));
    return texts.foundMore(formatCount(Math.max(read, counted?.count ?? 0)));
  }
}

/** Undefined if the inventory has no count for the query. */
export function totalOf(query: AnimalsQuery, inventory: Inventory): number | undefined {
  if (isNarrowed(query)) return undefined;
  return query.status === undefined ? countAll(inventory) : inventory[query.status];
}

export function PageSize({ limit }: { limit: number }) {
  return (
    <label class="page-size">
      <span>{t().animals.pageSize}</span>
      <select
        value={String(limit)}
        onChange={({ currentTarget: { value } }) =>
          setFilter({ size: value === PAGE_SIZES[0] ? undefined : value })
        }
      >
        {PAGE_SIZES.map((size) => (
          <option key={size} value={size}>
            {size}
          </option>
        ))}
      </select>
    </label>
  );
}
