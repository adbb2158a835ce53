// The current place of the console: the fragment of the address holds the name of the view and nothing else.

import { signal } from "@preact/signals";
import { isAllowed, session } from "./session.ts";

export const PLACES = [
  { name: "animals", title: "Animals", isOffered: () => isAllowed("listPets") },
  { name: "orders", title: "Orders", isOffered: () => isAllowed("listOrders") },
  { name: "categories", title: "Categories", isOffered: () => isAllowed("listCategories") },
  { name: "webhooks", title: "Webhooks", isOffered: () => isAllowed("listWebhooks") },
  { name: "keys", title: "Keys", isOffered: () => isAllowed("listKeys") },
  { name: "audit", title: "Audit log", isOffered: () => isAllowed("listAudit") },
  { name: "usage", title: "Usage", isOffered: () => isAllowed("getUsage") },
] as const;

export type PlaceName = (typeof PLACES)[number]["name"];

const fragment = signal(location.hash.slice(1));
addEventListener("hashchange", () => {
  fragment.value = location.hash.slice(1);
});

export function offeredPlaces() {
  return PLACES.filter(({ isOffered }) => session.value !== undefined && isOffered());
}

/** Animals, where the address names no place or one that the key cannot open. */
export function currentPlace(): PlaceName {
  return offeredPlaces().find(({ name }) => name === fragment.value)?.name ?? "animals";
}
