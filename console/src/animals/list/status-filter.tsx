// The filter by status, with the number of animals in each.

import { type Inventory, type PetStatus, VALUES } from "../../../../client/src/client.ts";
import { Pills } from "../../shared/parts/pills.tsx";
import { countAll } from "../../shared/state/animals-query.ts";
import { formatCount } from "../../shared/state/format.ts";
import { t } from "../../shared/texts/language.ts";

interface StatusFilterProps {
  chosen: PetStatus | undefined;
  inventory: Inventory | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}

export function StatusFilter({ chosen, inventory, onChoose }: StatusFilterProps) {
  const all = inventory && countAll(inventory);
  const pills = [undefined, ...VALUES.PetStatus].map((status) => {
    const count = status === undefined ? all : inventory?.[status];
    return {
      value: status,
      text: status === undefined ? t().animals.all : t().petStatus[status],
      count: count === undefined ? undefined : formatCount(count),
    };
  });
  return (
    <Pills
      label={t().animals.status}
      pills={pills}
      chosen={chosen}
      isUnknown={inventory === undefined}
      onChoose={onChoose}
    />
  );
}
