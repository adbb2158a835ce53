// The sitemap and robots.txt.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { parseInt64 } from "../domain/basics/int64.ts";
import type { PublicAnimal, SiteStore } from "../domain/site/site.ts";
import { html, toText } from "./html.ts";

const DECLARATION = html`<?xml version="1.0" encoding="utf-8"?>\n`;
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";
/** The protocol's limit for one file. */
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
  const root = toText(html`${publicUrl}`);
  const urls = pages.map((path) => `<url><loc>${root}${path}</loc></url>\n`);
  const left = addressesMax - pages.length;
  if (part !== "shelters")
    for await (const animals of readAnimals(store, part ?? 0n, part === undefined ? left + 1 : left))
      urls.push(...animals.map((animal) => writeAnimal(root, animal)));
  if (part === undefined && urls.length > addressesMax) return renderIndex(store, publicUrl, addressesMax);
  return `${toText(DECLARATION)}<urlset xmlns="${NAMESPACE}">\n${urls.slice(0, addressesMax).join("")}</urlset>\n`;
}

/** An id and a time need no escaping, which would take most of the time of a large file. */
function writeAnimal(root: string, { id, updatedAtMs }: PublicAnimal): string {
  const changed = new Date(updatedAtMs).toISOString();
  return `<url><loc>${root}/animals/${id}</loc><lastmod>${changed}</lastmod></url>\n`;
}

/** One file for the shelters, and one for each full number of animals. */
async function renderIndex(
  store: SitemapOptions["store"],
  publicUrl: string,
  addressesMax: number,
): Promise<string> {
  const parts = ["shelters", "0"];
  let listed = 0;
  let last: bigint | undefined;
  for await (const animals of readAnimals(store, 0n))
    for (const { id } of animals) {
      // The first animal after a full file.
      if (last !== undefined && listed % addressesMax === 0) parts.push(String(last));
      listed += 1;
      last = id;
    }
  const files = parts.map(
    (part) => html`<sitemap><loc>${publicUrl}/sitemap.xml?part=${part}</loc></sitemap>\n`,
  );
  return toText(html`${DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${files}</sitemapindex>\n`);
}

/** In steps, so that other requests are served in between. */
async function* readAnimals(
  store: SitemapOptions["store"],
  after: bigint,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<PublicAnimal[]> {
  let last = after;
  for (let left = limit; left > 0; ) {
    const animals = await store.listAnimals({ after: last, limit: Math.min(STEP, left) });
    const newest = animals.at(-1);
    if (newest === undefined) return;
    yield animals;
    last = newest.id;
    left -= animals.length;
    await yieldToEventLoop();
  }
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
