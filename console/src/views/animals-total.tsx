// How many animals the list has, as far as it is known, and how many a page shows.

import type { Inventory } from "../../../client/src/client.ts";
import { formatCount } from "../state/format.ts";
import { setFilter } from "../state/place.ts";
import { t } from "../texts/language.ts";
import {
  type AnimalsPage,
  type AnimalsQuery,
  hasTooManyWords,
  isNarrowed,
  PAGE_SIZES,
} from "./animals-query.ts";

interface AnimalsTotalProps {
  query: AnimalsQuery;
  page: AnimalsPage & { inventory: Inventory };
  pageNumber: number;
}

export function AnimalsTotal({ query, page, pageNumber }: AnimalsTotalProps) {
  const texts = t().animals;
  return (
    <p class="total quiet" role="status">
      {describeTotal()}
      {hasTooManyWords(query) && ` ${texts.firstWords}`}
    </p>
  );

  /** The service counts animals by status only. Other lists are counted as far as they have been read. */
  function describeTotal(): string {
    const { items, next, inventory } = page;
    const total = totalOf(query, inventory);
    if (total !== undefined) return texts.total(total, formatCount(total));
    const count = (pageNumber - 1) * query.limit + items.length;
    if (next === undefined) return texts.found(count, formatCount(count));
    return texts.foundMore(formatCount(count));
  }
}

/** Undefined if the service does not know it. */
export function totalOf(query: AnimalsQuery, inventory: Inventory): number | undefined {
  if (isNarrowed(query)) return undefined;
  return query.status === undefined ? countAll(inventory) : inventory[query.status];
}

export function countAll({ available, pending, sold }: Inventory): number {
  return available + pending + sold;
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
