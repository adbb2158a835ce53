// Shares the address of an animal's public page: by the browser's own dialog where it has one, otherwise by copying.

import type { Listing } from "../../../../client/src/client.ts";
import { shareByBrowser } from "../../shared/parts/share.ts";
import { notify } from "../../shared/state/notices.ts";
import { publicAddress } from "../../shared/state/public-site.ts";
import { later } from "../../shared/texts/pages.ts";

export async function share({ id, name }: Pick<Listing, "id" | "name">): Promise<void> {
  const texts = later().share;
  const url = publicAddress(`animals/${id}`);
  if (await shareByBrowser({ title: name, url })) return;
  try {
    await navigator.clipboard.writeText(url);
    notify(texts.copied(name));
  } catch {
    notify(texts.cannotCopy(url), { isFailure: true });
  }
}
