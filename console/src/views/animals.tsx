// The list of animals: filter, search, pages, and the actions on an animal.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Pet, type PetStatus, VALUES } from "../../../client/src/client.ts";
import { focusMain, isByKeyboard } from "../parts/focus.ts";
import { List, Pager, usePaging, useStepBack } from "../parts/list.tsx";
import { useLiveList } from "../parts/live-list.ts";
import { categoryName, ensureCategories } from "../state/category-names.ts";
import { changes } from "../state/changes.ts";
import { deleteLater, isHidden } from "../state/deletions.ts";
import { explain } from "../state/failures.ts";
import { notify } from "../state/notices.ts";
import { rememberPets } from "../state/pet-names.ts";
import { queryChoice, setFilter } from "../state/place.ts";
import { ask, isAllowed } from "../state/session.ts";
import { AnimalForm } from "./animal-form.tsx";
import { AnimalRow } from "./animal-row.tsx";
import { NoAnimals } from "./no-animals.tsx";
import { OrderForm } from "./order-form.tsx";
import { StatusFilter } from "./status-filter.tsx";

const COLUMNS = ["Id", "Name", "Category", "Status", "Actions"];

/** A new object for each dialog, so that a dialog that ends late closes itself and no other. */
interface Opened {
  form: "animal" | "order";
  /** Undefined for a new animal. */
  pet: Pet | undefined;
}

export function Animals() {
  const status = queryChoice("status", VALUES.PetStatus);
  const search = useSignal("");
  const opened = useSignal<Opened | undefined>(undefined);
  /** The number of moves that are being sent. */
  const moves = useRef(0);
  const paging = usePaging();
  // Read together: a cursor is valid for its filter only.
  const query = { status, cursor: paging.cursor };

  const loaded = useLiveList(
    async (signal, retries) => {
      const [page, inventory] = await Promise.all([
        ask((client) => client.listPets(query, { signal, retries }).page()),
        ask((client) => client.getInventory({ signal, retries })),
        ensureCategories({ retries }),
      ]);
      rememberPets(page.items);
      return { ...page, inventory };
    },
    [query.status, query.cursor, changes.value],
    // The page shows a move before the service has made it.
    { kinds: ["pet", "category"], isHeld: () => moves.current > 0 },
  );
  const { data, isLoading, reload } = loaded;

  useStepBack(loaded, paging);

  function replace(pet: Pet): void {
    const page = data.value;
    if (page) data.value = { ...page, items: page.items.map((each) => (each.id === pet.id ? pet : each)) };
  }

  /** Optimistic: shows the new status at once, and the old one again when the service refuses. */
  async function move(pet: Pet, to: PetStatus): Promise<void> {
    moves.current += 1;
    replace({ ...pet, status: to });
    try {
      replace(await ask((client) => client.updatePet(pet.id, { status: to })));
      notify(`${pet.name} is ${to}.`);
    } catch (error) {
      replace(pet);
      notify(`${pet.name} stays ${pet.status}. ${explain(error)}`, { isFailure: true });
    } finally {
      moves.current -= 1;
    }
    await reload();
  }

  function remove(pet: Pet, isByKeyboard: boolean): void {
    const run = () => ask((client) => client.deletePet(pet.id));
    deleteLater({ key: `pet:${pet.id}`, label: pet.name, run, isByKeyboard });
    if (!isByKeyboard) focusMain();
  }

  const open = (form: Opened["form"], pet?: Pet) => {
    opened.value = { form, pet };
  };
  const dialog = opened.value;
  const close = () => {
    if (opened.value === dialog) opened.value = undefined;
  };
  const closeAndReload = () => {
    close();
    return reload();
  };

  return (
    <>
      <div class="head">
        <h1>Animals</h1>
        {isAllowed("createPet") && (
          <button type="button" class="primary" onClick={() => open("animal")}>
            Add an animal
          </button>
        )}
      </div>
      <div class="tools">
        <StatusFilter
          chosen={status}
          inventory={data.value?.inventory}
          onChoose={(chosen) => setFilter({ status: chosen })}
        />
        <input
          type="search"
          aria-label="Search on this page"
          placeholder="Search on this page"
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
      </div>
      <List
        loaded={loaded}
        label="Animals"
        columns={COLUMNS}
        filter={(pet) => !isHidden(`pet:${pet.id}`) && matches(pet, search.value)}
        empty={
          <NoAnimals
            search={search.value}
            status={status}
            isStoreEmpty={isEmpty(data.value?.inventory)}
            hasOtherPages={paging.number > 1 || data.value?.next !== undefined}
            onAdd={() => open("animal")}
            onLoaded={reload}
          />
        }
        row={(pet) => (
          <AnimalRow
            key={String(pet.id)}
            pet={pet}
            onMove={(to) => void move(pet, to)}
            onEdit={() => open("animal", pet)}
            onOrder={() => open("order", pet)}
            onDelete={(event) => remove(pet, isByKeyboard(event))}
          />
        )}
      />
      <Pager paging={paging} next={data.value?.next} isLoading={isLoading.value} />
      {dialog?.form === "animal" && <AnimalForm pet={dialog.pet} onClose={close} onDone={closeAndReload} />}
      {dialog?.form === "order" && dialog.pet && (
        <OrderForm pet={dialog.pet} onClose={close} onDone={closeAndReload} onRefused={reload} />
      )}
    </>
  );
}

function matches(pet: Pet, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  const texts = [pet.name, String(pet.id), categoryName(pet.categoryId) ?? "", String(pet.categoryId)];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

function isEmpty(inventory: { available: number; pending: number; sold: number } | undefined): boolean {
  return inventory !== undefined && inventory.available + inventory.pending + inventory.sold === 0;
}
