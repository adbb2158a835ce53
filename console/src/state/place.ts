// The current place of the console: the fragment of the address holds the name of the view and nothing else.

import { signal } from "@preact/signals";
import { hasAccess, session } from "./session.ts";

export const PLACES = [
  { name: "animals", title: "Animals", access: "browse" },
  { name: "orders", title: "Orders", access: "adopt" },
  { name: "categories", title: "Categories", access: "browse" },
  { name: "keys", title: "Keys", access: "admin" },
  { name: "usage", title: "Usage", access: "browse" },
] as const;

export type PlaceName = (typeof PLACES)[number]["name"];

const fragment = signal(location.hash.slice(1));
addEventListener("hashchange", () => {
  fragment.value = location.hash.slice(1);
});

export function offeredPlaces() {
  return PLACES.filter(({ access }) => session.value !== undefined && hasAccess(access));
}

/** Animals, where the address names no place or one that the key cannot open. */
export function currentPlace(): PlaceName {
  return offeredPlaces().find(({ name }) => name === fragment.value)?.name ?? "animals";
}
