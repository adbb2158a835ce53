// The state of the site, read on demand: whether it is open, how it looks, and the version of what it shows.

import type { Species } from "../domain/animals/profile.ts";
import type { Clock } from "../domain/basics/clock.ts";
import { DAY_MS } from "../domain/basics/durations.ts";
import type { ShelterSummary } from "../domain/shelters/shelter.ts";
import type { SiteState, SiteStore } from "../domain/site/site.ts";
import { once } from "../tools/once.ts";

/** All requests of this time share one query. A change is in force everywhere within a second. */
const FRESH_MS = 250;

/** The same object as long as every page stays the same. Ages change at midnight. */
export interface CurrentSite extends SiteState {
  listShelters(): Promise<ShelterSummary[]>;
  listSpecies(): Promise<Species[]>;
}

export interface SiteStateReader {
  /** Fails with `unavailable` if the store does not answer. */
  get(): CurrentSite | Promise<CurrentSite>;
  /** Undefined if it has to be read first. */
  fresh(): CurrentSite | undefined;
  /** The last one that was read, for pages about an error. */
  last(): CurrentSite | undefined;
}

export function createSiteStateReader(store: SiteStore, clock: Clock): SiteStateReader {
  let current: { site: CurrentSite; text: string; readAtMs: number } | undefined;
  let reading: Promise<CurrentSite> | undefined;

  async function read(): Promise<CurrentSite> {
    const readAtMs = clock.monotonicMs();
    const state = await store.readState();
    const text = `${Math.floor(clock.nowMs() / DAY_MS)} ${JSON.stringify(state)}`;
    const site =
      text === current?.text
        ? current.site
        : { ...state, listShelters: once(store.listShelters), listSpecies: once(store.listSpecies) };
    current = { site, text, readAtMs };
    return site;
  }

  function fresh(): CurrentSite | undefined {
    const isFresh = current !== undefined && clock.monotonicMs() - current.readAtMs < FRESH_MS;
    return isFresh ? current?.site : undefined;
  }

  return {
    fresh,
    get() {
      const known = fresh();
      if (known !== undefined) return known;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    last: () => current?.site,
  };
}
