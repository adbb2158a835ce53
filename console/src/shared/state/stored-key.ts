// The API key in the browser: in the tab, where it ends with the tab, or remembered on the device until signing out.

import { addressOf } from "./addresses.ts";

/** With the path, because one host can serve several stores. */
const NAME = `animal-store-key:${new URL(addressOf("")).pathname}`;

type Place = "sessionStorage" | "localStorage";

export function findStoredKey(): string | undefined {
  return read("sessionStorage") ?? read("localStorage");
}

/** Whether the stored key is kept on the device. */
export function isKeyRemembered(): boolean {
  return read("sessionStorage") === undefined && read("localStorage") !== undefined;
}

/** Undefined forgets the key of this tab. */
export function storeKey(apiKey: string | undefined, isRemembered = false): void {
  write("sessionStorage", isRemembered ? undefined : apiKey);
  if (isRemembered) write("localStorage", apiKey);
}

export function forgetKey(): void {
  write("sessionStorage", undefined);
  write("localStorage", undefined);
}

function read(place: Place): string | undefined {
  try {
    return globalThis[place].getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(place: Place, apiKey: string | undefined): void {
  try {
    if (apiKey === undefined) globalThis[place].removeItem(NAME);
    else globalThis[place].setItem(NAME, apiKey);
  } catch {
    // Where the browser forbids storage, the user signs in again after a reload.
  }
}
