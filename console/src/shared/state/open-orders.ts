// How many adoptions are open, for the number in the navigation: as the places that count them have read it last.

import { effect, signal } from "@preact/signals";
import type { OrderCounts } from "../../../../client/src/client.ts";
import { onEvent } from "./live.ts";
import { session } from "./session.ts";

/** Undefined while it is unknown. */
export const openOrders = signal<number | undefined>(undefined);

export function noteOrderCounts({ placed, approved }: OrderCounts): void {
  openOrders.value = placed + approved;
}

// No request only for a number: it is unknown until a place reads it again.
onEvent((event) => {
  if (event === undefined || event.type.startsWith("order.")) openOrders.value = undefined;
});

effect(() => {
  if (session.value === undefined) openOrders.value = undefined;
});
