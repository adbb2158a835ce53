// The actions on the selected animals: change their status, category or shelter, or delete them.

import { useSignal } from "@preact/signals";
import type { Listing } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { focusMain, isByKeyboard } from "../../shared/parts/focus.ts";
import { formatCount } from "../../shared/state/format.ts";
import { mayMoveAnimals } from "../../shared/state/own-shelter.ts";
import { isAllowed } from "../../shared/state/permissions.ts";
import { t } from "../../shared/texts/language.ts";
import { BulkCategory, BulkShelter, BulkStatus } from "./bulk-change.tsx";
import { deleteAllLater } from "./bulk-delete.tsx";
import type { AnimalList } from "./use-animals.ts";

interface BulkBarProps {
  pets: Listing[];
  list: AnimalList;
  onSelectAll: (() => void) | undefined;
  onClear: () => void;
}

export function BulkBar({ pets, list, onSelectAll, onClear }: BulkBarProps) {
  const texts = t().bulk;
  const opened = useSignal<"status" | "category" | "shelter" | undefined>(undefined);
  const close = () => (opened.value = undefined);

  function remove(event: MouseEvent): void {
    onClear();
    deleteAllLater(pets, isByKeyboard(event));
    if (!isByKeyboard(event)) focusMain();
  }

  return (
    <fieldset class="bulk">
      <legend class="visually-hidden">{texts.selectedAnimals}</legend>
      <strong role="status">{texts.selected(formatCount(pets.length))}</strong>
      <Button label={texts.changeStatus} onClick={() => (opened.value = "status")} />
      <Button label={texts.changeCategory} onClick={() => (opened.value = "category")} />
      {mayMoveAnimals() && <Button label={t().shelters.move} onClick={() => (opened.value = "shelter")} />}
      {isAllowed("deletePet") && <Button kind="danger" label={t().common.delete} onClick={remove} />}
      {onSelectAll && <Button label={texts.all} onClick={onSelectAll} />}
      <Button
        label={texts.clear}
        onClick={() => {
          onClear();
          focusMain();
        }}
      />
      {opened.value === "status" && <BulkStatus pets={pets} list={list} onClose={close} />}
      {opened.value === "category" && <BulkCategory pets={pets} list={list} onClose={close} />}
      {opened.value === "shelter" && <BulkShelter pets={pets} list={list} onClose={close} />}
    </fieldset>
  );
}
