// The list of animals: search, filters, pages, and the actions on an animal.

import { useSignal } from "@preact/signals";
import type { Listing } from "../../../../client/src/client.ts";
import { BulkProgress } from "../../shared/parts/bulk-progress.tsx";
import { Button } from "../../shared/parts/button.tsx";
import { Head } from "../../shared/parts/head.tsx";
import { Pager, usePaging, useStepBack } from "../../shared/parts/list.tsx";
import { currentAnimalsQuery, PAGE_SIZES } from "../../shared/state/animals-query.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { setFilter } from "../../shared/state/place.ts";
import { isNarrow } from "../../shared/state/viewport.ts";
import { t } from "../../shared/texts/language.ts";
import { AnimalDialogs, type OpenedDialog } from "./animal-dialogs.tsx";
import { AnimalFiles } from "./animal-files.tsx";
import { AnimalFilters, StatusFilter } from "./animal-filters.tsx";
import { AnimalTable, isShown } from "./animal-table.tsx";
import { AnimalTools } from "./animal-tools.tsx";
import { AnimalsTotal, PageSize, totalOf } from "./animals-total.tsx";
import type { ExportAnimals } from "./export-animals.ts";
import type { AddedSamples } from "./samples.ts";
import { useAnimals } from "./use-animals.ts";
import { useFoundCount } from "./use-found-count.ts";
import { useSelection } from "./use-selection.ts";

/** Loaded on demand. */
interface AnimalsProps {
  exportAnimals: ExportAnimals;
  loadSamples: () => Promise<AddedSamples>;
}

export function Animals({ exportAnimals, loadSamples }: AnimalsProps) {
  const texts = t().animals;
  const query = currentAnimalsQuery();
  const opened = useSignal<OpenedDialog | undefined>(undefined);
  const paging = usePaging();
  const list = useAnimals(query, paging.cursor);
  const { loaded } = list;
  const { data, isLoading, reload } = loaded;
  const isFirstPage = paging.cursor === undefined;
  const counted = useFoundCount({ query, view: list.view, isFirstPage, loaded });
  const page = data.value;
  const shown = page?.items.filter(isShown) ?? [];
  const selection = useSelection(
    shown.filter((pet) => mayChange("updatePet", pet)),
    list.view,
  );

  useStepBack(loaded, paging);

  const open = (form: OpenedDialog["form"], pet?: Listing) => {
    opened.value = { form, pet };
  };
  const statusFilter = (
    <StatusFilter query={query} inventory={page?.inventory} onChoose={(status) => setFilter({ status })} />
  );
  const hasPages = paging.number > 1 || page?.next !== undefined;

  return (
    <>
      <Head title={t().placeNames.animals}>
        <div class="buttons">
          <AnimalFiles
            exportAnimals={exportAnimals}
            query={query}
            total={page && totalOf(query, page.inventory)}
            onSelect={selection.startByTouch}
          />
          {isAllowed("createPet") && !isNarrow.value && (
            <Button kind="primary" label={texts.add} onClick={() => open("animal")} />
          )}
        </div>
      </Head>
      <AnimalFilters query={query} status={statusFilter} />
      <AnimalTools
        selection={selection}
        list={list}
        filter={!isNarrow.value && statusFilter}
        total={
          page &&
          !loaded.isForOthers.value && (
            <AnimalsTotal query={query} page={page} pageNumber={paging.number} counted={counted} />
          )
        }
      />
      {selection.pets.length === 0 && <BulkProgress />}
      <AnimalTable
        list={list}
        query={query}
        selection={selection}
        hasOtherPages={hasPages}
        onOpen={open}
        loadSamples={loadSamples}
      />
      <div class="list-end">
        <Pager paging={paging} next={page?.next} isLoading={isLoading.value} />
        {(hasPages || query.limit !== Number(PAGE_SIZES[0])) && <PageSize limit={query.limit} />}
      </div>
      <AnimalDialogs opened={opened} reload={reload} />
    </>
  );
}
