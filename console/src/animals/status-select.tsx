// The status of an animal, as a select for keys that may change it. The mouse changes it at once, the keyboard only on Enter.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type Listing, type PetStatus, TRANSITIONS, VALUES } from "../../../client/src/client.ts";
import { Select } from "../shared/parts/field.tsx";
import { mayChange } from "../shared/state/own-shelter.ts";
import { t } from "../shared/texts/language.ts";

export function StatusSelect({ pet, onMove }: { pet: Listing; onMove: (to: PetStatus) => void }) {
  const { name, status } = pet;
  /** Chosen by keyboard and not sent yet: the arrow keys pass through all options. */
  const chosen = useSignal<PetStatus | undefined>(undefined);
  const offered = [status, ...TRANSITIONS.PetStatus[status]];
  const isByKeyboard = useRef(false);

  /** The choice, unless someone else has changed the status so that it is not possible any more. */
  function findWanted(): PetStatus {
    return chosen.value !== undefined && offered.includes(chosen.value) ? chosen.value : status;
  }

  function commit(): void {
    const to = findWanted();
    chosen.value = undefined;
    if (to !== status) onMove(to);
  }

  function press(event: KeyboardEvent): void {
    isByKeyboard.current = true;
    if (event.key === "Escape") chosen.value = undefined;
    if (event.key !== "Enter" || chosen.value === undefined) return;
    event.preventDefault();
    commit();
  }

  if (!mayChange("updatePet", pet)) return <span class={`status ${status}`}>{t().petStatus[status]}</span>;
  return (
    <>
      <Select
        class={`status ${status}`}
        aria-label={t().animals.statusOf(name)}
        choices={VALUES.PetStatus.filter((each) => offered.includes(each)).map((each) => [
          each,
          t().petStatus[each],
        ])}
        value={findWanted()}
        onPointerDown={() => (isByKeyboard.current = false)}
        onKeyDown={press}
        onChange={({ currentTarget: { value } }) => {
          chosen.value = value as PetStatus;
          if (!isByKeyboard.current) commit();
        }}
        onBlur={({ currentTarget }) => {
          // The window has lost the focus, the select has not.
          if (document.activeElement === currentTarget) return;
          isByKeyboard.current = false;
          chosen.value = undefined;
        }}
      />
      {findWanted() !== status && (
        <small class="hint" role="status">
          {t().animals.pressEnter}
        </small>
      )}
    </>
  );
}
