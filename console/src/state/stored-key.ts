// The key over a reload: in the tab's session storage, gone with the tab and never sent anywhere by itself.

import { addressOf } from "./addresses.ts";

/** Stores side by side under one host have a key each. */
const NAME = `animal-store-key:${new URL(addressOf("")).pathname}`;

export function findKeptKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where the browser forbids storage, the key lives as long as the page. */
export function keepKey(apiKey: string | undefined): void {
  try {
    if (apiKey === undefined) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, apiKey);
  } catch {
    // Nothing more is lost than a reload.
  }
}
