// The address of a photo for this page: the service is asked where the console is served, not at its public address.

import { addressOf } from "./addresses.ts";

/** `url` is one of the addresses that the service returns for a photo. */
export function photoAddress(url: string): string {
  return addressOf(`photos/${url.slice(url.lastIndexOf("/") + 1)}`);
}
