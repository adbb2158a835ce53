// Which places the navigation shows, and the number of open adoptions beside their name.

import { formatCount } from "../shared/state/format.ts";
import { openOrders } from "../shared/state/open-orders.ts";
import { offeredPlaces, type PlaceName } from "../shared/state/place.ts";
import { hasSeveralShelters } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";

/** What people do every day; the other places are settings and tools. */
export const DAILY: readonly PlaceName[] = ["today", "animals", "orders"];

/** A single shelter and the public pages are settings, and have their links in the footer; the account has one of its own. */
export function listPlaces(): PlaceName[] {
  return offeredPlaces()
    .map(({ name }) => name)
    .filter((name) => name !== "site" && name !== "account" && (name !== "shelters" || hasSeveralShelters()));
}

/** Read out after the name of the place. */
export function describeOpen(place: PlaceName): string | undefined {
  const count = openOrders.value ?? 0;
  return place === "orders" && count > 0 ? `${t().orders.open}: ${formatCount(count)}` : undefined;
}

/** A number only where something waits. */
export function OpenOrders() {
  const count = openOrders.value ?? 0;
  if (count === 0) return null;
  return (
    <span class="badge-count" aria-hidden="true">
      {formatCount(count)}
    </span>
  );
}
