// Pages of animals that were read a moment ago, for nodes that share a store: good while no animal has changed since.

import { createBoundedMap } from "../domain/bounded-map.ts";
import type { Clock } from "../domain/clock.ts";
import type { Page } from "../domain/page.ts";
import type { Pet, PetStore } from "../domain/pet.ts";

/** Bounds the harm of a version that was not raised. */
const MAX_AGE_MS = 1_000;
const ENTRIES_MAX = 1_000;

export interface PageCache {
  /** Without a version, nobody can say whether a page is still true: it is read. */
  list(filter: Parameters<PetStore["list"]>[0], page: Page, version: number | undefined): Promise<Pet[]>;
}

export function createPageCache(pets: PetStore, clock: Clock): PageCache {
  const entries = createBoundedMap<string, { version: number; readAtMs: number; rows: Pet[] }>(ENTRIES_MAX);

  return {
    async list(filter, page, version) {
      if (version === undefined) return pets.list(filter, page);
      const name = `${filter.status} ${page.limit} ${page.after}`;
      const nowMs = clock.nowMs();
      const entry = entries.get(name);
      if (entry?.version === version && nowMs - entry.readAtMs < MAX_AGE_MS) return entry.rows;
      const rows = await pets.list(filter, page);
      entries.set(name, { version, readAtMs: nowMs, rows });
      return rows;
    },
  };
}
