// The rows of the list of animals, and what can be done with one of them.

import type { Listing } from "../../../../client/src/client.ts";
import { focusMain, isByKeyboard } from "../../shared/parts/focus.ts";
import { List } from "../../shared/parts/list.tsx";
import { type AnimalsQuery, countAll } from "../../shared/state/animals-query.ts";
import { deleteLater, isHidden } from "../../shared/state/deletions.ts";
import { ask } from "../../shared/state/session.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import { useStatusMoves } from "../use-status-moves.tsx";
import { columnsOf, phoneColumnsOf } from "./animal-columns.tsx";
import type { OpenedDialog } from "./animal-dialogs.tsx";
import { AnimalRow } from "./animal-row.tsx";
import { AnimalsSkeleton } from "./animals-skeleton.tsx";
import { NoAnimals } from "./no-animals.tsx";
import { PhoneAnimalRow } from "./phone-animal-row.tsx";
import type { AddedSamples } from "./samples.ts";
import type { AnimalList } from "./use-animals.ts";
import type { Selection } from "./use-selection.ts";

interface AnimalTableProps {
  list: AnimalList;
  query: AnimalsQuery;
  selection: Selection;
  hasOtherPages: boolean;
  onOpen: (form: OpenedDialog["form"], pet?: Listing) => void;
  loadSamples: () => Promise<AddedSamples>;
}

export function AnimalTable(props: AnimalTableProps) {
  const { list, query, selection, hasOtherPages, onOpen, loadSamples } = props;
  const { loaded } = list;
  const { move, question } = useStatusMoves(list);
  const page = loaded.data.value;
  return (
    <>
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
            hasOtherPages={hasOtherPages}
            onAdd={() => onOpen("animal")}
            loadSamples={loadSamples}
            onLoaded={loaded.reload}
          />
        }
        row={(pet) => (
          <AnimalRow
            key={String(pet.id)}
            pet={pet}
            isSelected={selection.isSelected(pet)}
            onSelect={(isOn, isRange) => selection.select(pet, isOn, isRange)}
            onMove={(to) => void move(pet, to)}
            onOrder={() => onOpen("order", pet)}
            onDelete={(event) => remove(pet, event)}
          />
        )}
        phone={{
          columns: phoneColumnsOf(selection),
          row: (pet) => (
            <PhoneAnimalRow
              key={String(pet.id)}
              pet={pet}
              isSelecting={selection.isByTouch}
              isSelected={selection.isSelected(pet)}
              onSelect={(isOn) => selection.select(pet, isOn, false)}
            />
          ),
        }}
      />
      {question}
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

/** Not while it waits to be deleted. */
export function isShown({ id }: Listing): boolean {
  return !isHidden(`pet:${id}`);
}
