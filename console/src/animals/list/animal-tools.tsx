// Above the rows: the filter of statuses, or what can be done with the selected animals, and the total.

import type { ComponentChildren } from "preact";
import { Button } from "../../shared/parts/button.tsx";
import { t } from "../../shared/texts/language.ts";
import { BulkBar } from "./bulk-bar.tsx";
import type { AnimalList } from "./use-animals.ts";
import type { Selection } from "./use-selection.ts";

interface AnimalToolsProps {
  selection: Selection;
  list: AnimalList;
  filter: ComponentChildren;
  total: ComponentChildren;
}

export function AnimalTools({ selection, list, filter, total }: AnimalToolsProps) {
  const { pets, isByTouch, isWhole, selectAll, end } = selection;
  return (
    <div class={pets.length > 0 || isByTouch ? "tools selecting" : "tools"}>
      {pets.length > 0 ? (
        <BulkBar
          pets={pets}
          list={list}
          onSelectAll={isWhole ? undefined : () => selectAll(true)}
          onClear={end}
        />
      ) : isByTouch ? (
        <>
          <span>{t().bulk.hint}</span>
          <Button label={t().common.cancel} onClick={end} />
        </>
      ) : (
        filter
      )}
      {total}
    </div>
  );
}
