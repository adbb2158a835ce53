// The public pages by their paths: what each needs from the stores, and how it is rendered.

import type { ListingStore } from "../domain/animals/listing.ts";
import { PUBLIC_STATUSES } from "../domain/animals/public-listing.ts";
import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "../domain/animals/search-text.ts";
import type { Clock } from "../domain/basics/clock.ts";
import { decodeCursor, encodeCursor } from "../domain/basics/cursor.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { parseInt64 } from "../domain/basics/int64.ts";
import { plain } from "../domain/basics/text.ts";
import type { ShelterStore } from "../domain/shelters/shelter.ts";
import type { SiteStore } from "../domain/site/site.ts";
import { FEED_ANIMALS, GONE_MS, PAGE_ANIMALS } from "../domain/site/site-limits.ts";
import { type Animal, nameOf, readAnimals, toAnimal } from "./animal.ts";
import { renderAnimal } from "./animal-page.ts";
import { renderAtom, renderJsonFeed } from "./feeds.ts";
import { renderMessage } from "./layout.ts";
import { renderList } from "./list-page.ts";
import { type AnimalQuery, BadQuery, readQuery, toQueryString, typedValues } from "./query.ts";
import { renderShelter } from "./shelter-page.ts";
import { readPart, renderRobots, renderSitemap } from "./sitemap.ts";
import type { CurrentSite } from "./state.ts";
import { iconAddress, stylePaths } from "./styles.ts";
import { TEXTS, type Texts } from "./texts.ts";
import type { View } from "./view.ts";

const SCOPE = "animals";

const TYPES = {
  html: "text/html; charset=utf-8",
  atom: "application/atom+xml; charset=utf-8",
  json: "application/feed+json; charset=utf-8",
  xml: "application/xml; charset=utf-8",
  text: "text/plain; charset=utf-8",
};

export interface SitePage {
  status: 200 | 400 | 404 | 410 | 429 | 503;
  type: string;
  body: string;
}

export interface SiteServices {
  listings: Pick<ListingStore, "list" | "find">;
  shelters: Pick<ShelterStore, "find">;
  site: SiteStore;
  clock: Clock;
  publicUrl: () => string;
}

/** A page that an address asks for. */
interface PageRequest {
  /** Equal for addresses of the same page. */
  key: string;
  /** Costs more than a plain page, and has more forms than a cache can hold. */
  isSearch: boolean;
  render(view: View, current: CurrentSite): Promise<SitePage>;
}

type ReadPage = (id: string, query: URLSearchParams) => PageRequest;

/** The pages by their paths. `:id` is the only parameter of a path. */
export function createSitePages(services: SiteServices): Record<string, ReadPage> {
  const list = createAnimalLister(services);
  return {
    "/animals": orProblem(listPage(list)),
    "/animals/:id": animalPage(services),
    "/animals/*": missingPage,
    "/shelters": missingPage,
    "/shelters/:id": shelterPage(services, list),
    "/shelters/*": missingPage,
    "/animals.atom": orProblem(
      feedPage(list, { path: "/animals.atom", type: TYPES.atom, render: renderAtom }),
    ),
    "/animals.json": orProblem(
      feedPage(list, { path: "/animals.json", type: TYPES.json, render: renderJsonFeed }),
    ),
    "/sitemap.xml": sitemapPage(services),
    "/robots.txt": robotsPage,
  };
}

type ListAnimals = ReturnType<typeof createAnimalLister>;

/** The newest animals of a filter, and where the next page begins. */
function createAnimalLister({ listings }: SiteServices) {
  return async (view: View, { filter }: Pick<AnimalQuery, "filter">, limit: number, after?: bigint) => {
    const shown = { sort: "newest", nowMs: view.nowMs, publicUrl: view.base, isPublic: true } as const;
    const { json, nextAfter } = await listings.list(filter, { limit, after }, shown);
    return { animals: readAnimals(json, view.texts), nextAfter };
  };
}

function listPage(list: ListAnimals): ReadPage {
  return (_id, parameters) => {
    const query = readQuery(parameters);
    const { values, cursor } = query;
    const scope = SCOPE + toQueryString(values);
    const after = cursor === undefined ? undefined : readCursor(scope, cursor);
    return {
      key: `/animals${toQueryString({ ...values, ...(cursor !== undefined && { cursor }) })}`,
      isSearch: scope !== SCOPE || cursor !== undefined,
      async render(view, current) {
        const { animals, nextAfter } = await list(view, query, PAGE_ANIMALS, after);
        const next = nextAfter === undefined ? undefined : encodeCursor(scope, nextAfter);
        return ok(renderList(view, { query, animals, next, ...(await readOffers(current)) }));
      },
    };
  };
}

/** The shelters and species that the form offers. */
async function readOffers({ listShelters, listSpecies }: CurrentSite) {
  const [shelters, species] = await Promise.all([listShelters(), listSpecies()]);
  return { shelters, species };
}

interface Feed {
  path: string;
  type: string;
  render(view: View, animals: Animal[], values: Record<string, string>): string;
}

function feedPage(list: ListAnimals, { path, type, render }: Feed): ReadPage {
  return (_id, parameters) => {
    const query = readQuery(parameters);
    const filters = toQueryString(query.values);
    return {
      key: path + filters,
      isSearch: filters !== "",
      render: async (view) =>
        ok(render(view, (await list(view, query, FEED_ANIMALS)).animals, query.values), type),
    };
  };
}

function animalPage({ listings, shelters }: SiteServices): ReadPage {
  return (text) => ({
    key: `/animals/${text}`,
    isSearch: false,
    async render(view) {
      const { texts, nowMs, base } = view;
      const id = parseInt64(text);
      const listing = id === undefined ? undefined : await listings.find(id);
      if (listing === undefined) return renderMissing(view);
      if (listing.status === "sold") {
        if (nowMs - listing.updatedAtMs > GONE_MS) return renderMissing(view);
        return fault(410, renderMessage(view, texts.gone(plain(nameOf(listing, texts))), texts.goneNote));
      }
      const shelter = await shelters.find(listing.shelter.id);
      if (shelter === undefined) return renderMissing(view);
      return ok(renderAnimal(view, toAnimal(listing, { texts, nowMs, publicUrl: base }), shelter));
    },
  });
}

function shelterPage({ shelters }: SiteServices, list: ListAnimals): ReadPage {
  return (text) => ({
    key: `/shelters/${text}`,
    isSearch: false,
    async render(view) {
      const id = parseInt64(text);
      const found = id === undefined ? undefined : await shelters.find(id);
      if (found === undefined) return renderMissing(view);
      const filter = { statuses: PUBLIC_STATUSES, shelterIds: [found.id] };
      return ok(renderShelter(view, found, (await list(view, { filter }, PAGE_ANIMALS)).animals));
    },
  });
}

function sitemapPage({ site: store }: SiteServices): ReadPage {
  return (_id, query) => {
    const part = readPart(query);
    return {
      key: `/sitemap.xml?${part ?? ""}`,
      isSearch: true,
      render: async ({ publicUrl }) => ok(await renderSitemap({ store, publicUrl, part }), TYPES.xml),
    };
  };
}

/** An address of no page, below an address that has pages. */
const missingPage: ReadPage = () => ({
  key: "missing",
  isSearch: false,
  render: async (view) => renderMissing(view),
});

const robotsPage: ReadPage = () => ({
  key: "/robots.txt",
  isSearch: false,
  render: async ({ publicUrl, base, site: { isPublic } }) =>
    ok(renderRobots({ publicUrl, base, isPublic }), TYPES.text),
});

/** A bad query gets the list with its form and no animals. */
function orProblem(read: ReadPage): ReadPage {
  return (id, parameters) => {
    try {
      return read(id, parameters);
    } catch (error) {
      if (!(error instanceof BadQuery)) throw error;
      const query = { filter: {}, values: typedValues(parameters, error) };
      return {
        key: `bad ${error.parameter}${toQueryString(query.values)}`,
        isSearch: true,
        async render(view, current) {
          const problem = explain(error, view.texts);
          const offers = await readOffers(current);
          return fault(400, renderList(view, { query, problem, animals: [], next: undefined, ...offers }));
        },
      };
    }
  };
}

/** What the pages of this moment have in common. */
export function viewOf(
  { site, title }: Pick<CurrentSite, "site" | "title">,
  { clock, publicUrl }: Pick<SiteServices, "clock" | "publicUrl">,
): View {
  const address = publicUrl();
  const base = new URL(address).pathname.replace(/\/$/, "");
  const styles = stylePaths(site.accent).map((path) => base + path);
  return {
    site,
    title,
    texts: TEXTS[site.language],
    nowMs: clock.nowMs(),
    publicUrl: address,
    base,
    styles,
    icon: iconAddress(site.accent),
  };
}

/** The page for an error; undefined for one that has none. */
export function renderFault(view: View, error: unknown): SitePage | undefined {
  const { texts } = view;
  if (!(error instanceof ServiceError)) return undefined;
  if (error.body.status === 429) return fault(429, renderMessage(view, texts.busy, texts.busyNote));
  if (error.body.status === 503)
    return fault(503, renderMessage(view, texts.unavailable, texts.unavailableNote));
  return undefined;
}

function explain({ parameter }: BadQuery, { labels, ...texts }: Texts): string {
  if (parameter === "cursor") return texts.badCursor;
  if (parameter === "q") return texts.badSearch(SEARCH_WORDS_MAX, SEARCH_LENGTH_MAX);
  return texts.badFilter({ ...labels, ageGroup: labels.age, shelterId: labels.shelter }[parameter]);
}

/** The page of an address that no page has. */
export function renderMissing(view: View): SitePage {
  return fault(404, renderMessage(view, view.texts.missing, view.texts.missingNote));
}

function ok(body: string, type = TYPES.html): SitePage {
  return { status: 200, type, body };
}

function fault(status: SitePage["status"], body: string): SitePage {
  return { status, type: TYPES.html, body };
}

function readCursor(scope: string, cursor: string): bigint {
  try {
    return decodeCursor(scope, cursor);
  } catch {
    throw new BadQuery("cursor");
  }
}
