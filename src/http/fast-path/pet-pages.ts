// Pages of animals as they are sent.

import type { Clock } from "../../domain/clock.ts";
import type { PetStatus } from "../../domain/pet.ts";
import type { PetStore } from "../../domain/pet-store.ts";
import { type PageRequest, readPage } from "../response/pages.ts";
import { createContent } from "./content.ts";
import { createPageCache, type PageCache } from "./page-cache.ts";

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
      return createContent(body, link);
    },
    keyOf: ({ status, limit }) => `${status} ${limit}`,
    entriesMax: ENTRIES_MAX,
    charactersMax: CACHED_CHARACTERS_MAX,
  });
}
