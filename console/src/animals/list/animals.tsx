// The list of animals: search, filters, pages, and the actions on an animal.

import { useSignal } from "@preact/signals";
import type { Listing } from "../../../../client/src/client.ts";
import { BulkProgress } from "../../shared/parts/bulk-progress.tsx";
import { Button } from "../../shared/parts/button.tsx";
import { focusMain, isByKeyboard } from "../../shared/parts/focus.ts";
import { Head } from "../../shared/parts/head.tsx";
import { List, Pager, usePaging, useStepBack } from "../../shared/parts/list.tsx";
import { countAll, currentAnimalsQuery, PAGE_SIZES } from "../../shared/state/animals-query.ts";
import { deleteLater, isHidden } from "../../shared/state/deletions.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { setFilter } from "../../shared/state/place.ts";
import { ask, isAllowed } from "../../shared/state/session.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { isNarrow } from "../../shared/state/viewport.ts";
import { t } from "../../shared/texts/language.ts";
import { useStatusMoves } from "../use-status-moves.tsx";
import { columnsOf, phoneColumnsOf } from "./animal-columns.tsx";
import { AnimalDialogs, type OpenedDialog } from "./animal-dialogs.tsx";
import { AnimalFiles } from "./animal-files.tsx";
import { AnimalFilters, StatusFilter } from "./animal-filters.tsx";
import { AnimalRow } from "./animal-row.tsx";
import { AnimalTools } from "./animal-tools.tsx";
import { AnimalsSkeleton } from "./animals-skeleton.tsx";
import { AnimalsTotal, PageSize, totalOf } from "./animals-total.tsx";
import type { ExportAnimals } from "./export-animals.ts";
import { NoAnimals } from "./no-animals.tsx";
import { PhoneAnimalRow } from "./phone-animal-row.tsx";
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
  const { move, question } = useStatusMoves(list);
  const page = data.value;
  const shown = page?.items.filter(isShown) ?? [];
  const selection = useSelection(
    shown.filter((pet) => mayChange("updatePet", pet)),
    list.view,
  );

  /** On a phone: a touch on a row selects its animal instead of opening it. */
  const isStarted = useSignal(false);
  const isSelecting = isNarrow.value && (isStarted.value || selection.pets.length > 0);

  useStepBack(loaded, paging);

  function endSelection(): void {
    selection.selectAll(false);
    isStarted.value = false;
  }

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
            onSelect={() => (isStarted.value = true)}
          />
          {isAllowed("createPet") && !isNarrow.value && (
            <Button kind="primary" label={texts.add} onClick={() => open("animal")} />
          )}
        </div>
      </Head>
      <AnimalFilters query={query} status={statusFilter} />
      <AnimalTools
        selection={selection}
        isSelecting={isSelecting}
        list={list}
        filter={!isNarrow.value && statusFilter}
        total={
          page &&
          !loaded.isForOthers.value && (
            <AnimalsTotal query={query} page={page} pageNumber={paging.number} counted={counted} />
          )
        }
        onEnd={endSelection}
      />
      {selection.pets.length === 0 && <BulkProgress />}
      <List
        loaded={loaded}
        label={t().placeNames.animals}
        className={hasSeveralShelters() ? "animals with-shelter" : "animals"}
        columns={columnsOf(selection)}
        filter={isShown}
        loading={<AnimalsSkeleton />}
        empty={
          <NoAnimals
            query={query}
            isStoreEmpty={page !== undefined && countAll(page.inventory) === 0}
            hasNext={page?.next !== undefined}
            hasOtherPages={hasPages}
            onAdd={() => open("animal")}
            loadSamples={loadSamples}
            onLoaded={reload}
          />
        }
        row={(pet) => (
          <AnimalRow
            key={String(pet.id)}
            pet={pet}
            isSelected={selection.isSelected(pet)}
            onSelect={(isOn, isRange) => selection.select(pet, isOn, isRange)}
            onMove={(to) => void move(pet, to)}
            onOrder={() => open("order", pet)}
            onDelete={(event) => remove(pet, event)}
          />
        )}
        phone={{
          columns: phoneColumnsOf(isSelecting),
          row: (pet) => (
            <PhoneAnimalRow
              key={String(pet.id)}
              pet={pet}
              isSelecting={isSelecting}
              isSelected={selection.isSelected(pet)}
              onSelect={(isOn) => selection.select(pet, isOn, false)}
            />
          ),
        }}
      />
      <div class="list-end">
        <Pager paging={paging} next={page?.next} isLoading={isLoading.value} />
        {(hasPages || query.limit !== Number(PAGE_SIZES[0])) && <PageSize limit={query.limit} />}
      </div>
      {question}
      <AnimalDialogs opened={opened} reload={reload} />
    </>
  );
}

function remove(pet: Listing, event: MouseEvent): void {
  // The second click of a double click would hit the row that has moved up.
  if (event.detail > 1) return;
  const run = () => ask((client) => client.deletePet(pet.id));
  const byKeyboard = isByKeyboard(event);
  deleteLater({ key: `pet:${pet.id}`, label: pet.name, run, isByKeyboard: byKeyboard });
  if (!byKeyboard) focusMain();
}

function isShown({ id }: Listing): boolean {
  return !isHidden(`pet:${id}`);
}
