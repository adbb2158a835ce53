// The API key in the browser: in the tab, where it ends with the tab, or remembered on the device until signing out.

import { addressOf } from "./addresses.ts";
import { readStored, writeStored } from "./storage.ts";

/** With the path, because one host can serve several stores. */
const NAME = `animal-store-key:${new URL(addressOf("")).pathname}`;

export function findStoredKey(): string | undefined {
  return readStored("sessionStorage", NAME) ?? readStored("localStorage", NAME);
}

/** Whether the stored key is kept on the device. */
export function isKeyRemembered(): boolean {
  return readStored("sessionStorage", NAME) === undefined && readStored("localStorage", NAME) !== undefined;
}

/** Undefined forgets the key of this tab. */
export function storeKey(apiKey: string | undefined, isRemembered = false): void {
  writeStored("sessionStorage", NAME, isRemembered ? undefined : apiKey);
  if (isRemembered) writeStored("localStorage", NAME, apiKey);
}

export function forgetKey(): void {
  writeStored("sessionStorage", NAME, undefined);
  writeStored("localStorage", NAME, undefined);
}
