// The search over all animals, and the filters by category and species, with the order of the list.

import type { ComponentChildren } from "preact";
import { type Inventory, type PetStatus, VALUES } from "../../../../client/src/client.ts";
import { SEARCH_LENGTH_MAX } from "../../../../src/domain/animals/search-text.ts";
import { Select } from "../../shared/parts/field.tsx";
import { Filters } from "../../shared/parts/filters.tsx";
import { Pills } from "../../shared/parts/pills.tsx";
import { SearchBox } from "../../shared/parts/search-box.tsx";
import { ShelterFilter } from "../../shared/parts/shelter-filter.tsx";
import {
  type AnimalsQuery,
  countAll,
  countFilters,
  isNarrowed,
  NO_FILTER,
  SORTS,
} from "../../shared/state/animals-query.ts";
import { categories } from "../../shared/state/category-names.ts";
import { formatCount } from "../../shared/state/format.ts";
import { setFilter } from "../../shared/state/place.ts";
import { t } from "../../shared/texts/language.ts";

interface AnimalFiltersProps {
  query: AnimalsQuery;
  /** Shown among the filters where the status has no line of its own. */
  status: ComponentChildren;
}

export function AnimalFilters({ query, status }: AnimalFiltersProps) {
  const texts = t().animals;
  const known = (categories.value?.items ?? []).map(({ id, name }) => [String(id), name] as const);
  const category = query.categoryId === undefined ? "" : String(query.categoryId);
  const isKnown = category === "" || known.some(([id]) => id === category);
  const others = isKnown ? [] : [[category, t().common.numbered(category)] as const];
  return (
    <Filters
      search={
        <SearchBox
          label={texts.search}
          value={query.q}
          maxLength={SEARCH_LENGTH_MAX}
          onSearch={(q) => setFilter({ q }, { isReplacing: true })}
        />
      }
      count={countFilters(query)}
      status={status}
      onClear={() => setFilter({ ...NO_FILTER, q: query.q })}
    >
      <Select
        aria-label={texts.filterCategory}
        choices={[["", texts.anyCategory], ...others, ...known]}
        value={category}
        onChange={({ currentTarget }) => setFilter({ category: currentTarget.value })}
      />
      <Select
        aria-label={texts.filterSpecies}
        choices={[["", texts.anySpecies], ...Object.entries(t().species)]}
        value={query.species ?? ""}
        onChange={({ currentTarget }) => setFilter({ species: currentTarget.value })}
      />
      <ShelterFilter chosen={query.shelterId} />
      <Select
        aria-label={texts.sort}
        choices={Object.entries(texts.sorts)}
        value={query.sort}
        onChange={({ currentTarget: { value } }) =>
          setFilter({ sort: value === SORTS[0] ? undefined : value })
        }
      />
    </Filters>
  );
}

interface StatusFilterProps {
  query: AnimalsQuery;
  inventory: Inventory | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}

export function StatusFilter({ query, inventory, onChoose }: StatusFilterProps) {
  // The inventory counts all animals, and would contradict a list that a search or another filter narrows.
  const counts = isNarrowed(query) ? undefined : inventory;
  const pills = [undefined, ...VALUES.PetStatus].map((status) => {
    const count = counts && (status === undefined ? countAll(counts) : counts[status]);
    return {
      value: status,
      text: status === undefined ? t().common.all : t().petStatus[status],
      count: count === undefined ? undefined : formatCount(count),
    };
  });
  return (
    <Pills
      label={t().animals.status}
      pills={pills}
      chosen={query.status}
      isUnknown={inventory === undefined}
      onChoose={onChoose}
    />
  );
}
