// The API key in the session storage of the tab: it survives a reload and ends with the tab.

import { addressOf } from "./addresses.ts";

/** With the path, because one host can serve several stores. */
const NAME = `animal-store-key:${new URL(addressOf("")).pathname}`;

export function findStoredKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where the browser forbids storage, the key is lost on reload. */
export function storeKey(apiKey: string | undefined): void {
  try {
    if (apiKey === undefined) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, apiKey);
  } catch {
    // Without storage the user signs in again after a reload.
  }
}
