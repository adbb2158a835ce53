// The filter of the orders: open, of one status, or all, with their counts.

import { type OrderCounts, type OrderStatus, VALUES } from "../../../client/src/client.ts";
import { ORDER_COUNT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { Pills } from "../shared/parts/pills.tsx";
import { formatCount } from "../shared/state/format.ts";
import { t } from "../shared/texts/language.ts";

export type Choice = OrderStatus | "all";

interface OrderFilterProps {
  chosen: Choice | "open";
  counts: OrderCounts | undefined;
  onChoose: (choice: Choice | "open") => void;
}

export function OrderFilter({ chosen, counts, onChoose }: OrderFilterProps) {
  const open = counts && counts.placed + counts.approved;
  const words = { open: t().orders.open, all: t().common.all, ...t().orderStatus };
  const pills = (["open", ...VALUES.OrderStatus, "all"] as const).map((choice) => {
    const count = choice === "open" ? open : choice === "all" ? undefined : counts?.[choice];
    return {
      value: choice,
      text: words[choice],
      count: count === undefined ? undefined : formatAtLeast(count),
    };
  });
  return <Pills label={t().orders.status} pills={pills} chosen={chosen} onChoose={onChoose} />;
}

/** The service stops counting at `ORDER_COUNT_MAX`. */
function formatAtLeast(count: number): string {
  return count >= ORDER_COUNT_MAX ? `${formatCount(ORDER_COUNT_MAX)}+` : formatCount(count);
}
