// A publishable key and the lines that show animals on a web page, ready to be copied.

import { CopyText } from "../shared/parts/copy-text.tsx";
import { isLoopback } from "../shared/state/loopback.ts";
import { publicAddress } from "../shared/state/public-site.ts";
import { later } from "../shared/texts/pages.ts";
import { formatSnippet } from "./origins.ts";

export function OnWebPage({ token }: { token: string }) {
  const texts = later().publishable;
  return (
    <section aria-labelledby="on-page">
      <h2 id="on-page">{texts.onPage}</h2>
      <p>{texts.onPageHint}</p>
      <CopyText text={formatSnippet(publicAddress(), token)} action={texts.copyLines} />
      {isLoopback(publicAddress()) && <p class="quiet">{later().site.onlyHere}</p>}
      <h3>{texts.key}</h3>
      <p class="quiet">{texts.isNoSecret}</p>
      <CopyText text={token} action={texts.copyKey} />
    </section>
  );
}
