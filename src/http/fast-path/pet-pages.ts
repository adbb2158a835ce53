// Pages of animals as they are sent, cached until an animal changes and for at most one second.

import type { Clock } from "../../domain/clock.ts";
import type { PetStatus, PetStore } from "../../domain/pet.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import { type PageRequest, readPage } from "../response/pages.ts";
import { type Content, createContent } from "./content.ts";

/** Limits the harm of a version that was not published. */
const MAX_AGE_MS = 1_000;
const ENTRIES_MAX = 500;
/** Larger pages are not cached, so that the cache stays small. */
const CACHED_CHARACTERS_MAX = 32_768;

export interface PetPageRequest extends PageRequest {
  status?: PetStatus | undefined;
}

export interface PetPages {
  /** From the cache. Undefined without a version, because nothing then tells whether a page is still current. */
  recall(request: PetPageRequest, version: number | undefined): Content | undefined;
  /** Throws `invalid_cursor`. */
  read(request: PetPageRequest, version: number | undefined): Promise<Content>;
}

export function createPetPages(options: { pets: PetStore; clock: Clock; publicUrl: () => string }): PetPages {
  const { pets, clock, publicUrl } = options;
  const entries = createBoundedMap<string, { version: number; readAtMs: number; page: Content }>(ENTRIES_MAX);
  // After a change, all requests of an event-loop tick ask for the same page: it is read once for them.
  const reading = new Map<string, { version: number; page: Promise<Content> }>();

  async function readPets({ status, ...request }: PetPageRequest): Promise<Content> {
    const filters = status === undefined ? [] : [`status=${status}`];
    const list = { path: "pets", filters, base: `${publicUrl()}/v1` };
    const { json: body, link } = await readPage(list, request, (page) => pets.list({ status }, page));
    return createContent(body, link);
  }

  async function readAndCache(request: PetPageRequest, version: number): Promise<Content> {
    const readAtMs = clock.monotonicMs();
    const page = await readPets(request);
    if (page.body.length <= CACHED_CHARACTERS_MAX)
      entries.set(cacheKeyOf(request), { version, readAtMs, page });
    return page;
  }

  return {
    recall(request, version) {
      const entry = isFirst(request) ? entries.get(cacheKeyOf(request)) : undefined;
      if (entry === undefined || entry.version !== version) return undefined;
      return clock.monotonicMs() - entry.readAtMs < MAX_AGE_MS ? entry.page : undefined;
    },

    read(request, version) {
      if (version === undefined || !isFirst(request)) return readPets(request);
      const cacheKey = cacheKeyOf(request);
      const other = reading.get(cacheKey);
      if (other?.version === version) return other.page;
      const mine = { version, page: readAndCache(request, version) };
      reading.set(cacheKey, mine);
      const forget = () => {
        if (reading.get(cacheKey) === mine) reading.delete(cacheKey);
      };
      mine.page.then(forget, forget);
      return mine.page;
    },
  };
}

/** Only first pages are cached: a client that follows links asks for each later page once. */
function isFirst({ cursor }: PetPageRequest): boolean {
  return cursor === undefined;
}

function cacheKeyOf({ status, limit }: PetPageRequest): string {
  return `${status} ${limit}`;
}
