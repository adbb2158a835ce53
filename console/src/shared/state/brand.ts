// The site of the store as it was read last, and what the frame shows of it: its name, and its colour.

import { computed, signal } from "@preact/signals";
import type { Client, Site } from "../../../../client/src/client.ts";
import { plain } from "../../../../src/domain/basics/text.ts";
import { type AccentColours, deriveColours } from "../../../../src/look/accent.ts";
import { FIRST_SHELTER, shelters } from "./shelter-list.ts";

/** Shown until the store has a name of its own. */
export const PRODUCT = "Animal Store";

/** Undefined until it is read. */
export const site = signal<Site | undefined>(undefined);

/** Never rejects: read before the first view, so that nothing moves when it arrives. Without it, the product is named. */
export async function readFirstSite(client: Client, signal?: AbortSignal): Promise<void> {
  site.value = undefined;
  try {
    site.value = await client.getSite({ signal, retries: 0 });
  } catch {
    // The views that need it read it again.
  }
}

/** The title of the public pages, which is the name of the first shelter where it is absent. */
export const brandName = computed(() => {
  const [first] = shelters.value?.items ?? [];
  const isNamed = first !== undefined && first.name !== FIRST_SHELTER.name;
  return site.value?.title ?? (isNamed ? first.name : PRODUCT);
});

/** Undefined for a store without a colour of its own. */
export const brandColours = computed<AccentColours | undefined>(() => {
  const accent = site.value?.accent;
  return accent === undefined ? undefined : deriveColours(accent);
});

/** `name` is of a place, an animal or another thing. */
export function nameTab(name?: string): void {
  document.title = plain(name === undefined ? brandName.peek() : `${name} – ${brandName.peek()}`);
}
