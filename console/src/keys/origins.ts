// The web pages that may use a publishable key, as people type them, and the lines for such a page.

import { ALLOWED_ORIGINS_MAX } from "../../../src/domain/basics/count-limits.ts";
import { isLoopback } from "../shared/state/loopback.ts";
import { later } from "../shared/texts/pages.ts";

/** Each line can be the address of any page of a website. Throws for one that no browser would send, and without any. */
export function readOrigins(text: string): string[] {
  const texts = later().publishable;
  const origins = new Set(text.split(/[\s,]/).filter(Boolean).map(toOrigin));
  if (origins.size === 0) throw new Error(texts.missingOrigins);
  if (origins.size > ALLOWED_ORIGINS_MAX) throw new Error(texts.tooManyOrigins(ALLOWED_ORIGINS_MAX));
  return [...origins];
}

function toOrigin(typed: string): string {
  const url = URL.parse(typed.includes("://") ? typed : `https://${typed}`);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.href))) return url.origin;
  throw new Error(later().publishable.wrongOrigin(typed));
}

/** Loads the widget from the service, and shows it. */
export function formatSnippet(address: string, key: string): string {
  return [
    `<script type="module" src="${address}/widget.js"></script>`,
    `<animal-store-list src="${address}" key="${key}" filters></animal-store-list>`,
  ].join("\n");
}
