// A table with its loading, error and empty states, and the pager.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatCount, formatDistance } from "../state/format.ts";
import type { Loaded } from "../state/loading.ts";
import { nowMs } from "../state/now.ts";
import { pageCursors, queryValue, setQuery } from "../state/place.ts";
import { isNarrow } from "../state/viewport.ts";
import { lastWait } from "../state/waiting.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";
import { LoadFailure } from "./load-failure.tsx";
import { isSearchPending } from "./search-box.tsx";

/** After this time, empty rows replace the rows of another filter. */
const SKELETON_MS = 300;

interface ListProps<T> {
  loaded: Loaded<{ items: T[] }>;
  label: string;
  columns: ReadonlyArray<string | Column>;
  className?: string;
  row: (item: T) => ComponentChildren;
  /** Replaces columns and rows on a phone. */
  phone?: Pick<ListProps<T>, "columns" | "row">;
  empty: ComponentChildren;
  filter?: (item: T) => boolean;
  /** Shown before the first rows, with their height. */
  loading?: ComponentChildren;
}

/** `key` is also the class of the heading, for its width. */
export interface Column {
  key: string;
  heading: ComponentChildren;
}

export function List<T>(props: ListProps<T>) {
  const { loaded, empty, filter = () => true, loading = <p class="quiet">{t().common.loading}</p> } = props;
  const { data, isForOthers, failure, isLoading } = loaded;
  const isUnusable = data.value === undefined || isForOthers.value;
  const isSlow = useDelay(isForOthers.value, SKELETON_MS);
  if (isUnusable && failure.value !== undefined && !isLoading.value) {
    return <LoadFailure loaded={loaded} className="empty" />;
  }
  if (data.value === undefined || (isForOthers.value && lastWait.value !== undefined)) return <>{loading}</>;
  const items = data.value.items.filter(filter);
  // Rows of another filter stay for a moment, which avoids flicker, but cannot be used.
  return (
    <>
      <div class={isSlow ? "rows slow" : "rows"} inert={isForOthers.value || isSearchPending.value}>
        {items.length === 0 ? (
          // Its words are about the new filter.
          <div class={isForOthers.value ? "empty unknown" : "empty"}>{empty}</div>
        ) : (
          <Rows {...props} items={items} isBusy={isLoading.value} />
        )}
      </div>
      <p role="status" class="visually-hidden">
        {isSlow && t().common.loading}
      </p>
      <Outage loaded={loaded} />
    </>
  );
}

/** True once `isOn` has been true for this time. */
function useDelay(isOn: boolean, ms: number): boolean {
  const isLate = useSignal(false);
  useLayoutEffect(() => {
    isLate.value = false;
    if (!isOn) return undefined;
    const timer = setTimeout(() => (isLate.value = true), ms);
    return () => clearTimeout(timer);
  }, [isOn]);
  return isOn && isLate.value;
}

/** Why the rows could not be loaded again, and how old they are. Not while a wait is shown in its place. */
function Outage({ loaded: { failure, asOfMs, confirmedMs, reload } }: { loaded: Loaded<unknown> }) {
  if (failure.value === undefined || lastWait.value !== undefined) return null;
  const ms = Math.min(nowMs.value, Math.max(asOfMs.value ?? 0, confirmedMs?.value ?? 0));
  return (
    <div class="countdown edge" role="alert">
      <span>
        {failure.value} {/* Screen readers must not read it out every minute. */}
        <span aria-live="off">{t().list.asOf(formatDistance(new Date(ms), nowMs.value))}</span>
      </span>
      <Button label={t().common.tryAgain} onClick={reload} />
    </div>
  );
}

interface RowsProps<T> extends Pick<ListProps<T>, "label" | "columns" | "className" | "row" | "phone"> {
  items: T[];
  isBusy: boolean;
}

function Rows<T>(props: RowsProps<T>) {
  const { label, className = "", phone, items, isBusy } = props;
  const isOnPhone = isNarrow.value && phone !== undefined;
  const { columns, row } = isOnPhone ? phone : props;
  return (
    <table class={isOnPhone ? `${className} on-phone` : className} aria-label={label} aria-busy={isBusy}>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === "string" ? (
              <th key={column} scope="col">
                {column === t().common.actions ? <span class="visually-hidden">{column}</span> : column}
              </th>
            ) : (
              <th key={column.key} class={column.key} scope="col">
                {column.heading}
              </th>
            ),
          )}
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
  /** Whether `back` leads to the first page, because the one before is unknown. */
  isBackFirst: boolean;
}

/**
 * The page is in the address. The service returns only the cursor of the next page, so the cursors of previous pages are
 * kept in the history of the browser; a page that was opened by its address leads back to the first one.
 */
export function usePaging(): Paging {
  const cursor = queryValue("after");
  const cursors = cursor === undefined ? [] : (pageCursors() ?? [cursor]);
  const number = cursor === undefined ? 1 : readNumber(queryValue("page"));
  const show = (pages: string[], page: number) =>
    setQuery({ after: pages.at(-1), page: pages.length > 0 ? String(page) : undefined }, { cursors: pages });
  return {
    cursor,
    number,
    isBackFirst: cursors.length === 1 && number > 2,
    forward: (next) => {
      // A double-click calls this twice.
      if (queryValue("after") !== next) show([...cursors, next], number + 1);
    },
    back: () => show(cursors.slice(0, -1), number - 1),
  };
}

/** A list in a dialog has no address of its own. */
export function useDialogPaging(): Paging & { restart: () => void } {
  const cursors = useSignal<string[]>([]);
  return {
    cursor: cursors.value.at(-1),
    number: cursors.value.length + 1,
    isBackFirst: false,
    forward: (next) => {
      // A double-click calls this twice.
      if (cursors.value.at(-1) !== next) cursors.value = [...cursors.value, next];
    },
    back: () => {
      cursors.value = cursors.value.slice(0, -1);
    },
    restart: () => {
      if (cursors.value.length > 0) cursors.value = [];
    },
  };
}

function readNumber(text: string | undefined): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 1 ? number : 2;
}

/** Shows the previous page when the current one has become empty. A search may have an empty page before others. */
export function useStepBack(
  { data, isLoading }: Loaded<{ items: unknown[]; next: string | undefined }>,
  paging: Paging,
): void {
  const isEmpty = data.value?.items.length === 0 && data.value.next === undefined;
  const isPastEnd = isEmpty && paging.number > 1 && !isLoading.value;
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

export function Pager({ paging, next, isLoading = false }: PagerProps) {
  const element = useRef<HTMLElement>(null);
  const isTurning = useRef(false);
  // The pager is below the rows: the new page would be shown from its end.
  useLayoutEffect(() => {
    if (isLoading || !isTurning.current) return;
    isTurning.current = false;
    const table = element.current?.closest("dialog, main")?.querySelector("table");
    if (table && table.getBoundingClientRect().top < 0) table.scrollIntoView();
  }, [isLoading]);
  const turn = (go: () => void) => {
    isTurning.current = true;
    go();
  };
  const isFirst = paging.number === 1;
  if (isFirst && next === undefined) return null;
  return (
    <nav ref={element} class="pager" aria-label={t().list.pages}>
      <Button
        label={paging.isBackFirst ? t().list.firstPage : t().list.previous}
        isOff={isFirst}
        onClick={() => turn(paging.back)}
      />
      <span aria-live="polite">{t().list.page(formatCount(paging.number))}</span>
      <Button
        label={t().list.next}
        isOff={next === undefined || isLoading}
        onClick={() => next !== undefined && turn(() => paging.forward(next))}
      />
    </nav>
  );
}
