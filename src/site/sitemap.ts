// The sitemap and robots.txt.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { parseInt64 } from "../domain/basics/int64.ts";
import type { PublicAnimal, SiteStore } from "../domain/site/site.ts";
import { html, toText } from "./html.ts";

const DECLARATION = html`<?xml version="1.0" encoding="utf-8"?>\n`;
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";
/** Of one file, by the protocol. */
const ADDRESSES_MAX = 50_000;
const ALLOWED = ["/animals", "/shelters", "/photos", "/site", "/sitemap.xml", "/robots.txt"];
/** Animals read at a time: 2 ms on SQLite, whose reads block the event loop. */
const STEP = 2_000;

interface SitemapOptions {
  store: Pick<SiteStore, "listAnimals" | "listShelters">;
  publicUrl: string;
  /** A file that the index names: the shelters, or animals after this id. */
  part?: "shelters" | bigint | undefined;
  addressesMax?: number;
}

/** The part that a query names. Undefined for all addresses. */
export function readPart(query: URLSearchParams): SitemapOptions["part"] {
  const text = query.get("part") ?? "";
  return text === "shelters" ? text : parseInt64(text);
}

/** All addresses, or an index of files if they are too many for one. */
export async function renderSitemap(options: SitemapOptions): Promise<string> {
  const { store, publicUrl, part, addressesMax = ADDRESSES_MAX } = options;
  const shelters = typeof part === "bigint" ? [] : await store.listShelters();
  const pages = typeof part === "bigint" ? [] : ["/animals", ...shelters.map(({ id }) => `/shelters/${id}`)];
  const limit = addressesMax - pages.length + 1;
  const animals = part === "shelters" ? [] : await readAnimals(store, part ?? 0n, limit);
  if (part === undefined && pages.length + animals.length > addressesMax)
    return renderIndex(store, publicUrl, addressesMax);
  const urls = [
    ...pages.map((path) => html`<url><loc>${publicUrl}${path}</loc></url>\n`),
    ...animals.map(
      ({ id, updatedAtMs }) =>
        html`<url><loc>${publicUrl}/animals/${id}</loc><lastmod>${new Date(updatedAtMs).toISOString()}</lastmod></url>\n`,
    ),
  ].slice(0, addressesMax);
  return toText(html`${DECLARATION}<urlset xmlns="${NAMESPACE}">\n${urls}</urlset>\n`);
}

/** One file for the shelters, and one for each full number of animals. */
async function renderIndex(
  store: SitemapOptions["store"],
  publicUrl: string,
  addressesMax: number,
): Promise<string> {
  const parts = ["shelters", "0"];
  let last: PublicAnimal | undefined;
  do {
    const animals = await readAnimals(store, last?.id ?? 0n, addressesMax + 1);
    last = animals.length > addressesMax ? animals[addressesMax - 1] : undefined;
    if (last !== undefined) parts.push(String(last.id));
  } while (last !== undefined);
  const files = parts.map(
    (part) => html`<sitemap><loc>${publicUrl}/sitemap.xml?part=${part}</loc></sitemap>\n`,
  );
  return toText(html`${DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${files}</sitemapindex>\n`);
}

/** In steps, so that other requests are served in between. */
async function readAnimals(
  store: SitemapOptions["store"],
  after: bigint,
  limit: number,
): Promise<PublicAnimal[]> {
  const animals: PublicAnimal[] = [];
  while (animals.length < limit) {
    const last = animals.at(-1)?.id ?? after;
    const some = await store.listAnimals({ after: last, limit: Math.min(STEP, limit - animals.length) });
    if (some.length === 0) break;
    animals.push(...some);
    await yieldToEventLoop();
  }
  return animals;
}

/** For most readers the longest matching line counts, for some the first: what is allowed comes before the rest. */
export function renderRobots({
  publicUrl,
  base,
  isPublic,
}: {
  publicUrl: string;
  base: string;
  isPublic: boolean;
}): string {
  const allowed = isPublic ? ALLOWED.map((path) => `Allow: ${base}${path}\n`).join("") : "";
  const sitemap = isPublic ? `\nSitemap: ${publicUrl}/sitemap.xml\n` : "";
  return `User-agent: *\n${allowed}Disallow: ${base}/\n${sitemap}`;
}
