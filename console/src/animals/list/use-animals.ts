// The animals of the list: reads a page, and keeps changed animals in their place until another page is shown.

import { useRef } from "preact/hooks";
import type { CallOptions, Inventory, Listing, Pet } from "../../../../client/src/client.ts";
import { type LiveList, useLiveList } from "../../shared/parts/live-list.ts";
import {
  type AnimalsPage,
  type AnimalsQuery,
  readAnimals,
  readByIds,
} from "../../shared/state/animals-query.ts";
import { categoryName, ensureCategories } from "../../shared/state/category-names.ts";
import { changes } from "../../shared/state/changes.ts";
import { phase } from "../../shared/state/live.ts";
import { ensureShelters } from "../../shared/state/own-shelter.ts";
import { ask } from "../../shared/state/session.ts";
import type { ShownPets } from "../use-status-moves.tsx";

type ShownAnimals = AnimalsPage & { inventory: Inventory };

export interface AnimalList extends ShownPets {
  loaded: LiveList<ShownAnimals>;
  /** Differs for each filter, search and page. */
  view: string;
}

export function useAnimals(query: AnimalsQuery, cursor: string | undefined): AnimalList {
  const { status, q, categoryId, species, shelterId, sort, limit } = query;
  const inputs = [status, q, categoryId, species, shelterId, sort, limit, cursor];
  const view = inputs.join("\n");
  const shownView = useRef(view);
  const kept = useRef(new Map<string, number>());

  const loaded = useLiveList<ShownAnimals>(
    async (signal, retries) => {
      const options = { signal, retries };
      const isSameView = shownView.current === view;
      // Without names, the filter by category is missing, and everything else works.
      void ensureCategories({ retries }).catch(() => {});
      void ensureShelters({ retries }).catch(() => {});
      const [page, inventory] = await Promise.all([
        readAnimals(query, cursor, options),
        readInventory(isSameView, options),
      ]);
      if (!isSameView) kept.current.clear();
      shownView.current = view;
      return { ...page, items: await withKept(page.items, options), inventory };
    },
    [...inputs, changes.value],
    { kinds: ["pet", "listing", "category", "shelter"] },
  );
  const { data, hold } = loaded;

  /** Another filter or page does not change the counts, and other changes arrive as events. */
  async function readInventory(isSameView: boolean, options: CallOptions): Promise<Inventory> {
    const known = data.peek()?.inventory;
    if (known !== undefined && !isSameView && phase.peek() === "following") return known;
    return ask((client) => client.getInventory(options));
  }

  async function withKept(items: Listing[], options: CallOptions): Promise<Listing[]> {
    const isShown = new Set(items.map(({ id }) => String(id)));
    const missing = [...kept.current.keys()].filter((id) => !isShown.has(id));
    if (missing.length === 0) return items;
    const all = [...items];
    const found = await readByIds(missing, { status: "any" }, options);
    const rowOf = ({ id }: Listing) => kept.current.get(String(id)) ?? all.length;
    for (const pet of found.sort((one, other) => rowOf(one) - rowOf(other))) all.splice(rowOf(pet), 0, pet);
    return all;
  }

  function replace(pets: Pet[]): void {
    const page = data.peek();
    if (page === undefined) return;
    const changed = new Map(pets.map((pet) => [String(pet.id), pet]));
    const items = page.items.map((item, row) => {
      const pet = changed.get(String(item.id));
      if (pet === undefined) return item;
      kept.current.set(String(item.id), row);
      const { name, categoryId, status } = pet;
      const { shelter } = "shelter" in pet ? (pet as Listing) : item;
      return { ...item, name, categoryId, status, categoryName: categoryName(categoryId), shelter };
    });
    data.value = { ...page, items };
  }

  return { loaded, view, replace, hold };
}
