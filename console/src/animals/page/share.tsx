// Shares the address of an animal's public page: by the browser's own dialog where it has one, otherwise by copying.

import type { Listing } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { shareByBrowser } from "../../shared/parts/share.ts";
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
