// The filter by shelter of a list, where there are several. A key of one shelter has a switch for it, too.

import type { Int64 } from "../../../../client/src/client.ts";
import { ownShelterId } from "../state/own-shelter.ts";
import { setFilter } from "../state/place.ts";
import { hasSeveralShelters, shelterChoices } from "../state/shelter-list.ts";
import { t } from "../texts/language.ts";
import { Select } from "./field.tsx";

export function ShelterFilter({ chosen }: { chosen: Int64 | undefined }) {
  const texts = t().shelters;
  const own = ownShelterId();
  const value = String(chosen ?? "");
  if (!hasSeveralShelters()) return null;
  return (
    <>
      <Select
        aria-label={texts.filter}
        choices={[["", texts.any], ...shelterChoices(chosen)]}
        value={value}
        onChange={({ currentTarget }) => setFilter({ shelter: currentTarget.value })}
      />
      {own !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={value === String(own)}
            onChange={({ currentTarget }) => setFilter({ shelter: currentTarget.checked ? String(own) : "" })}
          />
          {texts.onlyOurs}
        </label>
      )}
    </>
  );
}
