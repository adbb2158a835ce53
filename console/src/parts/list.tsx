// A table with its loading, error and empty states, and the pager.

import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Loaded } from "../state/loading.ts";

interface ListProps<T> {
  loaded: Loaded<{ items: T[] }>;
  /** The accessible name of the table. */
  label: string;
  columns: string[];
  row: (item: T) => ComponentChildren;
  /** Shown instead of a table without rows. */
  empty: ComponentChildren;
  /** Hides the items for which it returns false. */
  filter?: (item: T) => boolean;
}

export function List<T>({ loaded, label, columns, row, empty, filter = () => true }: ListProps<T>) {
  const { data, failure, isLoading, reload } = loaded;
  if (failure.value !== undefined && !isLoading.value) {
    return (
      <div class="empty" role="alert">
        <p>{failure.value}</p>
        <button type="button" onClick={() => void reload()}>
          Try again
        </button>
      </div>
    );
  }
  if (data.value === undefined) return <p class="quiet">Loading…</p>;
  const items = data.value.items.filter(filter);
  if (items.length === 0) return <div class="empty">{empty}</div>;
  return (
    <table aria-label={label} aria-busy={isLoading.value}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column === "Actions" ? <span class="visually-hidden">{column}</span> : column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{items.map(row)}</tbody>
    </table>
  );
}

export interface Paging {
  /** Undefined on the first page. */
  cursor: string | undefined;
  number: number;
  forward: (next: string) => void;
  back: () => void;
  restart: () => void;
}

/** Keeps the cursors of the previous pages: the service returns only the cursor of the next page. */
export function usePaging(): Paging {
  const cursors: Signal<string[]> = useSignal([]);
  return {
    cursor: cursors.value.at(-1),
    number: cursors.value.length + 1,
    forward: (next) => {
      // A double-click calls this twice.
      if (cursors.value.at(-1) === next) return;
      cursors.value = [...cursors.value, next];
    },
    back: () => {
      cursors.value = cursors.value.slice(0, -1);
    },
    restart: () => {
      if (cursors.value.length > 0) cursors.value = [];
    },
  };
}

/** Shows the previous page when the current one has become empty. */
export function useStepBack({ data, isLoading }: Loaded<{ items: unknown[] }>, paging: Paging): void {
  const isPastEnd = data.value?.items.length === 0 && paging.number > 1 && !isLoading.value;
  useEffect(() => {
    if (isPastEnd) paging.back();
  }, [isPastEnd]);
}

interface PagerProps {
  paging: Paging;
  /** The cursor after the page that is shown. */
  next: string | undefined;
  /** While a page loads, its next cursor is unknown. */
  isLoading?: boolean;
}

/** aria-disabled instead of disabled, so that the buttons keep the focus. */
export function Pager({ paging, next, isLoading = false }: PagerProps) {
  const isFirst = paging.number === 1;
  const isLast = next === undefined || isLoading;
  if (paging.number === 1 && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" aria-disabled={isFirst} onClick={() => !isFirst && paging.back()}>
        ← Previous
      </button>
      <span aria-live="polite">Page {paging.number}</span>
      <button type="button" aria-disabled={isLast} onClick={() => !isLast && paging.forward(next)}>
        Next →
      </button>
    </nav>
  );
}
