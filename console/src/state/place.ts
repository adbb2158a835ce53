// The current place of the console: the fragment of the address holds the name of the view and nothing else.

import { signal } from "@preact/signals";
import { isAllowed, session } from "./session.ts";

export const PLACES = [
  { name: "animals", title: "Animals", operation: "listPets" },
  { name: "orders", title: "Orders", operation: "listOrders" },
  { name: "categories", title: "Categories", operation: "listCategories" },
  { name: "keys", title: "Keys", operation: "listKeys" },
  { name: "usage", title: "Usage", operation: "getUsage" },
] as const;

export type PlaceName = (typeof PLACES)[number]["name"];

const fragment = signal(location.hash.slice(1));
addEventListener("hashchange", () => {
  fragment.value = location.hash.slice(1);
});

export function offeredPlaces() {
  return PLACES.filter(({ operation }) => session.value !== undefined && isAllowed(operation));
}

/** Animals, where the address names no place or one that the key cannot open. */
export function currentPlace(): PlaceName {
  return offeredPlaces().find(({ name }) => name === fragment.value)?.name ?? "animals";
}
