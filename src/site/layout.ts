// The frame of every page: head, header and footer.

import type { ListedPhoto } from "../domain/animals/listed-photo.ts";
import { plain } from "../domain/basics/text.ts";
import { MARK } from "../look/mark.ts";
import { html, isolate, type Markup, toText } from "./html.ts";
import { sharedFile, type View } from "./view.ts";

const DESCRIPTION_MAX = 200;

interface PageParts {
  /** Undefined on the list, whose title is the title of the site. */
  title?: string;
  description: string;
  /** The canonical path with its query. Undefined for an error, which has none. */
  path?: string;
  /** Search engines follow the links of other pages, and do not list these pages. */
  isIndexed?: boolean;
  photo?: ListedPhoto | undefined;
  /** The query of the feeds. */
  feed?: string;
  head?: Markup | undefined;
  main: Markup;
}

export function renderPage(view: View, parts: PageParts): string {
  const { texts, site, base, styles, icon } = view;
  const { feed = "", main, isIndexed = false, head } = parts;
  const siteTitle = plain(view.title);
  const title = parts.title === undefined ? siteTitle : `${plain(parts.title)} – ${siteTitle}`;
  const description = shorten(plain(parts.description));
  const page = html`<!doctype html>
<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
${isIndexed ? undefined : html`<meta name="robots" content="noindex, follow">\n`}${sharing(view, { ...parts, title, description })}<link rel="alternate" type="application/atom+xml" title="${siteTitle}" href="${base}/animals.atom${feed}">
<link rel="alternate" type="application/feed+json" title="${siteTitle}" href="${base}/animals.json${feed}">
<link rel="icon" href="${icon}">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">\n`)}${head}</head>
<body>
${parts.title === undefined ? undefined : html`<header class="top"><a href="${base}/animals">${drawMark()}${isolate(view.title)}</a></header>\n`}<main>
${main}
</main>
<footer><a href="${base}/animals">${texts.allAnimals}</a> <a type="application/atom+xml" href="${base}/animals.atom${feed}">${texts.subscribe}</a></footer>
</body>
</html>
`;
  return toText(page);
}

/** The mark in the accent of the pages. */
export function drawMark(): Markup {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="${MARK.corner}"/><path d="${MARK.paw}"/></svg>`;
}

/** The canonical address, and what other sites show of a link to this page. */
function sharing(view: View, parts: PageParts & { title: string }): Markup | undefined {
  const { path, photo, title, description } = parts;
  if (path === undefined) return undefined;
  const { publicUrl, site, texts } = view;
  const address = publicUrl + path;
  const file = sharedFile(photo);
  const graph = {
    type: "website",
    site_name: plain(view.title),
    title,
    description,
    url: address,
    locale: texts.locale.replace("-", "_"),
    ...(file && { image: absolute(view, file.url), "image:width": file.width, "image:height": file.height }),
    ...(file && photo?.alt && { "image:alt": plain(photo.alt) }),
  };
  return html`<link rel="canonical" href="${address}" hreflang="${site.language}">
${Object.entries(graph).map(([name, value]) => html`<meta property="og:${name}" content="${value}">\n`)}`;
}

/** A path of the pages as an address. */
export function absolute({ publicUrl }: View, path: string): string {
  return new URL(publicUrl).origin + path;
}

/** A page with one message and the way back. */
export function renderMessage(view: View, title: string, sentence: string): string {
  const main = html`<h1>${isolate(title)}</h1>
<p>${sentence}</p>
<p><a class="button" href="${view.base}/animals">${view.texts.showAll}</a></p>`;
  return renderPage(view, { title, description: sentence, main });
}

/** On one line. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s/g, " ");
  return line.length <= DESCRIPTION_MAX ? line : `${line.slice(0, DESCRIPTION_MAX - 1)}…`;
}
