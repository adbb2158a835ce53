// The filter by status, with the number of animals in each.

import { type Inventory, type PetStatus, VALUES } from "../../../client/src/client.ts";
import { formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";

interface StatusFilterProps {
  chosen: PetStatus | undefined;
  inventory: Inventory | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}

export function StatusFilter({ chosen, inventory, onChoose }: StatusFilterProps) {
  const all = inventory && inventory.available + inventory.pending + inventory.sold;
  return (
    <fieldset class={inventory === undefined ? "filter unknown" : "filter"}>
      <legend class="visually-hidden">{t().animals.status}</legend>
      {[undefined, ...VALUES.PetStatus].map((status) => {
        const count = status === undefined ? all : inventory?.[status];
        return (
          <button
            key={status ?? "all"}
            type="button"
            aria-pressed={status === chosen}
            onClick={() => onChoose(status)}
          >
            {status === undefined ? t().animals.all : t().petStatus[status]}
            {count !== undefined && <span class="count"> {formatCount(count)}</span>}
          </button>
        );
      })}
    </fieldset>
  );
}
