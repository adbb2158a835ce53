// The animals of the page that are selected for a change of all of them.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Listing } from "../../../../client/src/client.ts";
import { isNarrow } from "../../shared/state/viewport.ts";

export interface Selection {
  pets: Listing[];
  /** On a phone: a touch on a row selects its animal instead of opening it, also before the first one is selected. */
  isByTouch: boolean;
  /** Whether all animals are selected that can be. */
  isWhole: boolean;
  isSelected: (pet: Listing) => boolean;
  /** With `isRange`, also all animals from the one that was chosen before. */
  select: (pet: Listing, isOn: boolean, isRange: boolean) => void;
  selectAll: (isOn: boolean) => void;
  startByTouch: () => void;
  end: () => void;
}

/** `shown` are the animals of the page that the key may change. Another `view` starts with no selection. */
export function useSelection(shown: Listing[], view: string): Selection {
  const ids = useSignal<ReadonlySet<string>>(new Set());
  const last = useRef<string | undefined>(undefined);
  const isStarted = useSignal(false);

  useLayoutEffect(() => {
    ids.value = new Set();
    last.current = undefined;
  }, [view]);

  function set(pets: Listing[], isOn: boolean): void {
    const next = new Set(ids.value);
    for (const { id } of pets) {
      if (isOn) next.add(String(id));
      else next.delete(String(id));
    }
    ids.value = next;
  }

  const rowOf = (id: string | undefined) => shown.findIndex((pet) => String(pet.id) === id);

  const pets = shown.filter(({ id }) => ids.value.has(String(id)));
  return {
    pets,
    isByTouch: isNarrow.value && (isStarted.value || pets.length > 0),
    isWhole: pets.length === shown.length,
    isSelected: ({ id }) => ids.value.has(String(id)),
    select(pet, isOn, isRange) {
      const from = isRange ? rowOf(last.current) : -1;
      const to = rowOf(String(pet.id));
      set(from < 0 ? [pet] : shown.slice(Math.min(from, to), Math.max(from, to) + 1), isOn);
      last.current = String(pet.id);
    },
    selectAll: (isOn) => set(shown, isOn),
    startByTouch: () => {
      isStarted.value = true;
    },
    end() {
      set(shown, false);
      isStarted.value = false;
    },
  };
}
