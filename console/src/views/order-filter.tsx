// The filter of the orders: open ones, or those of one status, with their numbers.

import { type OrderCounts, type OrderStatus, VALUES } from "../../../client/src/client.ts";
import { formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";

export type Choice = OrderStatus | "all";

/** The service stops counting here. */
const COUNT_MAX = 1_000;

interface OrderFilterProps {
  chosen: Choice | "open";
  counts: OrderCounts | undefined;
  onChoose: (choice: Choice | "open") => void;
}

export function OrderFilter({ chosen, counts, onChoose }: OrderFilterProps) {
  const open = counts && counts.placed + counts.approved;
  return (
    <fieldset class="filter">
      <legend class="visually-hidden">{t().orders.status}</legend>
      {(["open", ...VALUES.OrderStatus, "all"] as const).map((choice) => {
        const count = choice === "open" ? open : choice === "all" ? undefined : counts?.[choice];
        return (
          <button
            key={choice}
            type="button"
            aria-pressed={choice === chosen}
            onClick={() => onChoose(choice)}
          >
            {choice === "open" || choice === "all" ? t().orders[choice] : t().orderStatus[choice]}
            <span class="count"> {count === undefined ? "" : formatAtLeast(count)}</span>
          </button>
        );
      })}
    </fieldset>
  );
}

function formatAtLeast(count: number): string {
  return count >= COUNT_MAX ? `${formatCount(COUNT_MAX)}+` : formatCount(count);
}
