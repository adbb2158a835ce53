// The public site, as the HTTP part uses it.

import { CLOSED_SITE } from "../domain/site/site.ts";
import { createSitePages, renderFault, renderMissing, type SiteServices, viewOf } from "./site-pages.ts";
import { type CurrentSite, createSiteStateReader } from "./state.ts";
import { findStyle } from "./styles.ts";
import { TEXTS } from "./texts.ts";

/** A page about an error before the state is known, or while the site is closed, says nothing about it. */
const UNKNOWN = { site: CLOSED_SITE, title: TEXTS[CLOSED_SITE.language].animals };

export function createPublicSite(services: SiteServices) {
  const { get: state, fresh: freshState, last } = createSiteStateReader(services.site, services.clock);
  const pages = Object.entries(createSitePages(services)).map(([path, readPage]) => {
    const read = (id: string, query: URLSearchParams) => {
      const { render, ...wanted } = readPage(id, query);
      return { ...wanted, render: (current: CurrentSite) => render(viewOf(current, services), current) };
    };
    return [path, read] as const;
  });
  return {
    state,
    freshState,
    pages: Object.fromEntries(pages),
    renderFault(error: unknown) {
      const known = last();
      return renderFault(viewOf(known?.site.isPublic ? known : UNKNOWN, services), error);
    },
    async renderMissing() {
      const current = await state();
      return current.site.isPublic ? renderMissing(viewOf(current, services)) : undefined;
    },
    findStyle,
  };
}
