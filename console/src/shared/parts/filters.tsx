// The search and the filters of a list: side by side, on a phone the filters behind one button that says how many are set.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatCount } from "../state/format.ts";
import { isNarrow } from "../state/viewport.ts";
import { t } from "../texts/language.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface FiltersProps {
  search: ComponentChildren;
  /** How many of the filters narrow the list. */
  count: number;
  /** The choice of a status, which has a line of its own where there is room. */
  status: ComponentChildren;
  children: ComponentChildren;
  onClear: () => void;
}

export function Filters({ search, count, status, children, onClear }: FiltersProps) {
  const isOpen = useSignal(false);
  const close = () => (isOpen.value = false);
  const texts = t().filters;
  if (!isNarrow.value) {
    return (
      <search class="filters">
        {search}
        {children}
      </search>
    );
  }
  return (
    <search class="filters">
      {search}
      <button type="button" class="open-filters" aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M3 6h14M6 10.5h8M8.5 15h3" />
        </svg>
        <span aria-hidden={count > 0}>{texts.open}</span>
        {count > 0 && (
          <>
            <span class="badge-count" aria-hidden="true">
              {formatCount(count)}
            </span>
            <span class="visually-hidden">{texts.set(formatCount(count))}</span>
          </>
        )}
      </button>
      {isOpen.value && (
        <Dialog title={texts.open} className="sheet filter-sheet" onClose={close}>
          {status}
          {children}
          <footer>
            <Button label={texts.clear} isOff={count === 0} onClick={onClear} />
            <Button kind="primary" label={texts.show} onClick={close} />
          </footer>
        </Dialog>
      )}
    </search>
  );
}
