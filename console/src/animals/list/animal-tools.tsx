// Above the rows: the filter of statuses, or what can be done with the selected animals, and the total.

import type { ComponentChildren } from "preact";
import { Button } from "../../shared/parts/button.tsx";
import { t } from "../../shared/texts/language.ts";
import { BulkBar } from "./bulk-bar.tsx";
import type { AnimalList } from "./use-animals.ts";
import type { Selection } from "./use-selection.ts";

interface AnimalToolsProps {
  selection: Selection;
  /** Also before the first animal is selected. */
  isSelecting: boolean;
  list: AnimalList;
  filter: ComponentChildren;
  total: ComponentChildren;
  onEnd: () => void;
}

export function AnimalTools({ selection, isSelecting, list, filter, total, onEnd }: AnimalToolsProps) {
  const { pets, isWhole, selectAll } = selection;
  return (
    <div class={pets.length > 0 || isSelecting ? "tools selecting" : "tools"}>
      {pets.length > 0 ? (
        <BulkBar
          pets={pets}
          list={list}
          onSelectAll={isWhole ? undefined : () => selectAll(true)}
          onClear={onEnd}
        />
      ) : isSelecting ? (
        <>
          <span>{t().bulk.hint}</span>
          <Button label={t().common.cancel} onClick={onEnd} />
        </>
      ) : (
        filter
      )}
      {total}
    </div>
  );
}
