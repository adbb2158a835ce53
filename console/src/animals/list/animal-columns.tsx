// The columns of the list of animals, in a wide window and on a phone.

import type { Column } from "../../shared/parts/list.tsx";
import { phoneColumns } from "../../shared/parts/phone-row.tsx";
import { isAllowed } from "../../shared/state/permissions.ts";
import { hasSeveralShelters } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import type { Selection } from "./use-selection.ts";

export function columnsOf(selection: Selection): Column[] {
  const { photo, kind, status } = t().animals;
  const { name, actions } = t().common;
  const select = { key: "select", heading: <SelectAll selection={selection} /> };
  const shelter = hasSeveralShelters() ? { shelter: t().shelters.one } : {};
  return [
    ...(isAllowed("updatePet") ? [select] : []),
    { key: "photo", heading: <span class="visually-hidden">{photo}</span> },
    ...Object.entries({ name, ...shelter, kind, age: t().profile.age, state: status }).map(
      ([key, heading]) => ({
        key,
        heading,
      }),
    ),
    { key: "actions", heading: <span class="visually-hidden">{actions}</span> },
  ];
}

export function phoneColumnsOf({ isByTouch }: Selection): Column[] {
  const { photo, kind, status } = t().animals;
  const { name, actions, details } = t().common;
  const headings = { photo, name, state: status, kind, also: details };
  return phoneColumns(isByTouch ? { select: actions, ...headings } : headings);
}

function SelectAll({ selection }: { selection: Selection }) {
  const isSome = selection.pets.length > 0;
  return (
    <input
      type="checkbox"
      aria-label={t().bulk.selectAll}
      checked={isSome && selection.isWhole}
      indeterminate={isSome && !selection.isWhole}
      onChange={({ currentTarget }) => selection.selectAll(currentTarget.checked)}
    />
  );
}
