// Loads parts of the console on demand. After an update of the service, the parts of an open page are gone: it loads itself again.

import { addressOf } from "./addresses.ts";
import { readStored, writeStored } from "./storage.ts";

/** With the path, because one host can serve several stores. */
const NAME = `animal-store-reloaded:${new URL(addressOf("")).pathname}`;
/** While nodes are updated one after another, old and new pages may alternate. */
const RELOAD_AGAIN_MS = 60_000;
/** The file with this code. The page of the same build names it. */
const OWN_FILE = import.meta.url.slice(import.meta.url.lastIndexOf("/") + 1);

/** A part did not arrive. It may when it is requested again. */
export class MissingPartError extends Error {}

/** `load` is an `import()`. Fails with MissingPartError. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!(await isOutdated()) || !rememberReload()) throw new MissingPartError("", { cause });
    location.reload();
    // Nothing more is shown until the new page is there.
    return new Promise(() => {});
  }
}

/** False also while the service does not respond: a page that was loaded again would be lost then. */
async function isOutdated(): Promise<boolean> {
  try {
    const response = await fetch(addressOf(""), { cache: "no-cache" });
    return response.ok && !(await response.text()).includes(OWN_FILE);
  } catch {
    return false;
  }
}

/** False if the page was loaded again just before, or if that cannot be known. */
function rememberReload(): boolean {
  const isRecent = Date.now() - Number(readStored("sessionStorage", NAME) ?? 0) < RELOAD_AGAIN_MS;
  return !isRecent && writeStored("sessionStorage", NAME, String(Date.now()));
}
