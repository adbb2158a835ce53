// The search over all animals, and the filters by category and species, with the order of the list.

import { type Inventory, type PetStatus, VALUES } from "../../../../client/src/client.ts";
import { SEARCH_LENGTH_MAX } from "../../../../src/domain/animals/search-text.ts";
import { Pills } from "../../shared/parts/pills.tsx";
import { SearchBox } from "../../shared/parts/search-box.tsx";
import { type AnimalsQuery, countAll, SORTS } from "../../shared/state/animals-query.ts";
import { categories } from "../../shared/state/category-names.ts";
import { formatCount } from "../../shared/state/format.ts";
import { setFilter } from "../../shared/state/place.ts";
import { t } from "../../shared/texts/language.ts";

export function AnimalFilters({ query }: { query: AnimalsQuery }) {
  const texts = t().animals;
  const known = (categories.value?.items ?? []).map(({ id, name }) => [String(id), name] as const);
  const category = query.categoryId === undefined ? "" : String(query.categoryId);
  const isKnown = category === "" || known.some(([id]) => id === category);
  return (
    <search class="filters">
      <SearchBox
        label={texts.search}
        value={query.q}
        maxLength={SEARCH_LENGTH_MAX}
        onSearch={(q) => setFilter({ q }, { isReplacing: true })}
      />
      <select
        aria-label={texts.filterCategory}
        value={category}
        onChange={({ currentTarget }) => setFilter({ category: currentTarget.value })}
      >
        <option value="">{texts.anyCategory}</option>
        {!isKnown && <option value={category}>{t().common.numbered(category)}</option>}
        {known.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.filterSpecies}
        value={query.species ?? ""}
        onChange={({ currentTarget }) => setFilter({ species: currentTarget.value })}
      >
        <option value="">{texts.anySpecies}</option>
        {VALUES.Species.map((each) => (
          <option key={each} value={each}>
            {t().species[each]}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.sort}
        value={query.sort}
        onChange={({ currentTarget: { value } }) =>
          setFilter({ sort: value === SORTS[0] ? undefined : value })
        }
      >
        {SORTS.map((each) => (
          <option key={each} value={each}>
            {texts.sorts[each]}
          </option>
        ))}
      </select>
    </search>
  );
}

interface StatusFilterProps {
  chosen: PetStatus | undefined;
  inventory: Inventory | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}

export function StatusFilter({ chosen, inventory, onChoose }: StatusFilterProps) {
  const all = inventory && countAll(inventory);
  const pills = [undefined, ...VALUES.PetStatus].map((status) => {
    const count = status === undefined ? all : inventory?.[status];
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
      chosen={chosen}
      isUnknown={inventory === undefined}
      onChoose={onChoose}
    />
  );
}
