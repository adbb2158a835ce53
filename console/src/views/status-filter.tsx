// The filter by status, with the number of animals in each.

import { type Inventory, type PetStatus, VALUES } from "../../../client/src/client.ts";
import { capitalise, formatCount } from "../state/format.ts";

interface StatusFilterProps {
  chosen: PetStatus | undefined;
  inventory: Inventory | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}

export function StatusFilter({ chosen, inventory, onChoose }: StatusFilterProps) {
  const all = inventory && inventory.available + inventory.pending + inventory.sold;
  return (
    <fieldset class="filter">
      <legend class="visually-hidden">Status</legend>
      {[undefined, ...VALUES.PetStatus].map((status) => {
        const count = status === undefined ? all : inventory?.[status];
        return (
          <button
            key={status ?? "all"}
            type="button"
            aria-pressed={status === chosen}
            onClick={() => onChoose(status)}
          >
            {status === undefined ? "All" : capitalise(status)}
            {count !== undefined && <span class="count"> {formatCount(count)}</span>}
          </button>
        );
      })}
    </fieldset>
  );
}
