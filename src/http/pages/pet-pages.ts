// Pages of animals as they are sent.

import type { PetStatus } from "../../domain/animals/pet.ts";
import type { PetStore } from "../../domain/animals/pet-store.ts";
import type { Clock } from "../../domain/basics/clock.ts";
import { createCachedBody, createPageCache, type PageCache } from "./page-cache.ts";
import { type PageRequest, readPage } from "./pages.ts";

const ENTRIES_MAX = 500;
const CACHED_CHARACTERS_MAX = 32_768;

export interface PetPageRequest extends PageRequest {
  status?: PetStatus | undefined;
}

export type PetPages = PageCache<PetPageRequest>;

export function createPetPages(options: { pets: PetStore; clock: Clock; publicUrl: () => string }): PetPages {
  const { pets, clock, publicUrl } = options;
  return createPageCache({
    clock,
    async read({ status, ...request }) {
      const filters = status === undefined ? [] : [`status=${status}`];
      const list = { path: "pets", filters, base: `${publicUrl()}/v1` };
      const { json: body, link } = await readPage(list, request, (page) => pets.list({ status }, page));
      return createCachedBody(body, link);
    },
    keyOf: ({ status, limit }) => `${status} ${limit}`,
    entriesMax: ENTRIES_MAX,
    charactersMax: CACHED_CHARACTERS_MAX,
  });
}
