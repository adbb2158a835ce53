// Which animals to show, with how many there are of each.

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
      <legend class="unseen">Status</legend>
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
