// What every page needs besides its own content.

import type { ListedPhoto } from "../domain/animals/listed-photo.ts";
import { plain } from "../domain/basics/text.ts";
import type { Site } from "../domain/site/site.ts";
import { html, type Markup } from "./html.ts";
import type { Texts } from "./texts.ts";

export interface View {
  site: Site;
  title: string;
  texts: Texts;
  nowMs: number;
  /** The public address without a trailing slash, and its path, which is empty at the root of a host. */
  publicUrl: string;
  base: string;
  /** Addresses of the style sheets, in their order. */
  styles: string[];
  /** The address of the mark. */
  icon: string;
}

/** Open Graph shows the largest file up to this width. */
const SHARED_WIDTH_MAX = 1_280;

interface PhotoFile {
  url: string;
  width: number;
  height: number;
}

/** In ascending order of width. The key of a file may be larger than the image: it is the smallest step then. */
function filesOf({ urls, width, height }: ListedPhoto): PhotoFile[] {
  return Object.entries(urls).map(([step, url]) => {
    const fileWidth = Math.min(Number(step), width);
    return { url, width: fileWidth, height: Math.max(1, Math.round((height * fileWidth) / width)) };
  });
}

/** The file for pages that show a link to this one. */
export function sharedFile(photo: ListedPhoto | undefined): PhotoFile | undefined {
  return photo && filesOf(photo).findLast(({ width }) => width <= SHARED_WIDTH_MAX);
}

/** The browser chooses a file by `sizes`, and reserves the space before it arrives. */
export function image(photo: ListedPhoto, sizes: string, { alt = photo.alt, isFirst = false } = {}): Markup {
  const files = filesOf(photo);
  const { url, width, height } = files.findLast((file) => file.width <= 640) ?? (files[0] as PhotoFile);
  const srcset = files.map((file) => `${file.url} ${file.width}w`).join(", ");
  const loading = isFirst ? html` fetchpriority="high"` : html` loading="lazy"`;
  return html`<img src="${url}" srcset="${srcset}" sizes="${sizes}" width="${width}" height="${height}" alt="${plain(alt)}"${loading}>`;
}
