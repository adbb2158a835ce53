// Where in the console one is: the part of the address behind #, which never holds more than the name of a view.

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

/** The first place for an address that names none, or one that is not for this key. */
export function currentPlace(): PlaceName {
  return offeredPlaces().find(({ name }) => name === fragment.value)?.name ?? "animals";
}
