// The number of animals that a filter or search finds: asked for when the list has more pages, and kept while they are shown.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ListingCount } from "../../../../client/src/client.ts";
import {
  type AnimalsPage,
  type AnimalsQuery,
  countAnimals,
  isNarrowed,
} from "../../shared/state/animals-query.ts";
import type { Loaded } from "../../shared/state/loading.ts";

interface ShownList {
  query: AnimalsQuery;
  /** Differs for each filter, search and page. */
  view: string;
  isFirstPage: boolean;
  loaded: Loaded<AnimalsPage>;
}

/** Undefined while it is not known: the rows do not wait for it, and it may fail. */
export function useFoundCount({ query, view, isFirstPage, loaded }: ShownList): ListingCount | undefined {
  const { data, asOfMs, isForOthers } = loaded;
  const { status, q, categoryId, species, shelterId } = query;
  const filter = [status, q, categoryId, species, shelterId].join("\n");
  const counted = useSignal<{ filter: string; count: ListingCount } | undefined>(undefined);
  const shownView = useRef<string | undefined>(undefined);

  // Runs whenever the list was read: also after an event, when the number may have changed.
  useEffect(() => {
    const page = data.peek();
    if (page === undefined || isForOthers.peek()) return undefined;
    const isReadAgain = shownView.current === view;
    shownView.current = view;
    // Events do not update what is not shown.
    if (counted.peek()?.filter !== filter) counted.value = undefined;
    const isWhole = isFirstPage && page.next === undefined;
    if (!isNarrowed(query) || isWhole) return undefined;
    if (counted.peek() !== undefined && !isReadAgain) return undefined;
    const asking = new AbortController();
    // Without retries: no wait is shown for what the user has not asked for.
    countAnimals(query, { signal: asking.signal, retries: 0 }).then(
      (count) => {
        counted.value = { filter, count };
      },
      () => {
        if (!asking.signal.aborted) counted.value = undefined;
      },
    );
    return () => asking.abort();
  }, [asOfMs.value]);

  return counted.value?.filter === filter ? counted.value.count : undefined;
}
