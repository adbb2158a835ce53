// The public pages of the store: whether they are open, and the addresses that people outside use.

import type { CallOptions, PetStatus, Site } from "../../../../client/src/client.ts";
import { site } from "./brand.ts";
import { ask } from "./session.ts";

/** No event reports a change of the site. */
const READ_AGAIN_MS = 60_000;
/** The service writes it into the page, because the console can be opened by another address. */
const PUBLIC_URL = document.documentElement.dataset.publicUrl ?? "";

let readMs = Number.NEGATIVE_INFINITY;

export async function readSite(options: CallOptions): Promise<Site> {
  site.value = await ask((client) => client.getSite(options));
  readMs = Date.now();
  return site.value;
}

/** Never rejects: without it, an animal is shown as if the pages were closed. */
export async function ensureSite(): Promise<void> {
  if (Date.now() - readMs < READ_AGAIN_MS) return;
  await readSite({ retries: 0 }).catch(() => {});
}

/** Adopted animals have no public page. */
export function isShownToPublic(status: PetStatus): boolean {
  return site.value?.isPublic === true && status !== "sold";
}

/** `path` is below the root of the service; without one, it has no slash at its end. */
export function publicAddress(path = ""): string {
  return path === "" ? PUBLIC_URL : `${PUBLIC_URL}/${path}`;
}
