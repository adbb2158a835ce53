// Rendered pages as they are sent, cached until what they show changes.

import type { Document } from "./static-document.ts";

/** All pages together, with their compressed forms. */
const BYTES_MAX = 32 * 1024 * 1024;
/** A larger page is not cached. A full sitemap has 5 MB. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

export interface RenderedPage {
  /** The path of its route, for the log. */
  route: string;
  document: Document;
}

export interface RenderedPages {
  /** The page of this state. `state` is compared by identity; another one drops all pages. */
  recall(state: object, key: string): RenderedPage | undefined;
  /** Ignored if the state is not the last one: the page may be older. */
  keep(state: object, key: string, page: RenderedPage): void;
}

export function createRenderedPages(bytesMax = BYTES_MAX): RenderedPages {
  let current: object | undefined;
  let bytes = 0;
  /** The one that was used last is the last. */
  const pages = new Map<string, RenderedPage>();

  function drop(key: string, page: RenderedPage): void {
    pages.delete(key);
    bytes -= sizeOf(page);
  }

  return {
    recall(state, key) {
      if (state !== current) {
        current = state;
        pages.clear();
        bytes = 0;
      }
      const page = pages.get(key);
      if (page !== undefined) {
        pages.delete(key);
        pages.set(key, page);
      }
      return page;
    },

    keep(state, key, page) {
      if (state !== current || sizeOf(page) > Math.min(PAGE_BYTES_MAX, bytesMax)) return;
      const earlier = pages.get(key);
      if (earlier !== undefined) drop(key, earlier);
      pages.set(key, page);
      bytes += sizeOf(page);
      for (const [oldest, dropped] of pages) {
        if (bytes <= bytesMax) return;
        drop(oldest, dropped);
      }
    },
  };
}

function sizeOf({ document: { bytes, compressed } }: RenderedPage): number {
  return bytes.length + (compressed?.br.length ?? 0) + (compressed?.gzip.length ?? 0);
}
