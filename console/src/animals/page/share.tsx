// Shares the address of an animal's public page: by the browser's own dialog where it has one, otherwise by copying.

import type { Listing } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { notify } from "../../shared/state/notices.ts";
import { publicAddress } from "../../shared/state/public-site.ts";
import { later } from "../../shared/texts/lazy.ts";

export function Share({ listing }: { listing: Pick<Listing, "id" | "name"> }) {
  const texts = later().share;

  async function share(): Promise<void> {
    const { id, name } = listing;
    const url = publicAddress(`animals/${id}`);
    if (await shareByBrowser({ title: name, url })) return;
    try {
      await navigator.clipboard.writeText(url);
      notify(texts.copied(name));
    } catch {
      notify(texts.cannotCopy(url), { isFailure: true });
    }
  }

  return <Button label={texts.action} onClick={() => void share()} />;
}

/** False if the browser has no such dialog, or cannot open it. */
async function shareByBrowser(data: ShareData): Promise<boolean> {
  // Missing on pages without HTTPS, and in some browsers.
  if (navigator.share === undefined) return false;
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    // The user has closed the dialog.
    return error instanceof DOMException && error.name === "AbortError";
  }
}
