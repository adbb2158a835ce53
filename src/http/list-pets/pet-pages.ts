// Pages of animals as they are sent, kept while no animal has changed.

import type { Clock } from "../../domain/clock.ts";
import type { PetStatus, PetStore } from "../../domain/pet.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import { etagOf } from "../response/etag.ts";
import { type PageRequest, readPage } from "../response/pages.ts";

/** Bounds the harm of a version that was not published. */
const MAX_AGE_MS = 1_000;
const ENTRIES_MAX = 500;
/** Larger ones are read each time, so that all of them together stay small. */
const KEPT_CHARACTERS_MAX = 32_768;

export interface PetPageRequest extends PageRequest {
  status?: PetStatus | undefined;
}

export interface PetPage {
  body: string;
  bytes: number;
  link: string | undefined;
  etag: string;
}

/** Without a version, nobody can say whether a page is still true: it is read. */
export interface PetPages {
  recall(request: PetPageRequest, version: number | undefined): PetPage | undefined;
  /** Throws `invalid_cursor`. */
  read(request: PetPageRequest, version: number | undefined): Promise<PetPage>;
}

export function createPetPages(options: { pets: PetStore; clock: Clock; publicUrl: () => string }): PetPages {
  const { pets, clock, publicUrl } = options;
  const entries = createBoundedMap<string, { version: number; readAtMs: number; page: PetPage }>(ENTRIES_MAX);
  // After a change, all requests of a turn want the same page: it is read once for them.
  const reading = new Map<string, { version: number; page: Promise<PetPage> }>();

  async function readPets({ status, ...request }: PetPageRequest): Promise<PetPage> {
    const filters = status === undefined ? [] : [`status=${status}`];
    const list = { path: "pets", filters, base: `${publicUrl()}/v1` };
    const { json: body, link } = await readPage(list, request, (page) => pets.list({ status }, page));
    return { body, bytes: Buffer.byteLength(body), link, etag: etagOf(link, body) };
  }

  async function readAndKeep(request: PetPageRequest, version: number): Promise<PetPage> {
    const readAtMs = clock.monotonicMs();
    const page = await readPets(request);
    if (page.body.length <= KEPT_CHARACTERS_MAX) entries.set(nameOf(request), { version, readAtMs, page });
    return page;
  }

  return {
    recall(request, version) {
      const entry = isBeginning(request) ? entries.get(nameOf(request)) : undefined;
      if (entry === undefined || entry.version !== version) return undefined;
      return clock.monotonicMs() - entry.readAtMs < MAX_AGE_MS ? entry.page : undefined;
    },

    read(request, version) {
      if (version === undefined || !isBeginning(request)) return readPets(request);
      const name = nameOf(request);
      const other = reading.get(name);
      if (other?.version === version) return other.page;
      const mine = { version, page: readAndKeep(request, version) };
      reading.set(name, mine);
      const forget = () => {
        if (reading.get(name) === mine) reading.delete(name);
      };
      mine.page.then(forget, forget);
      return mine.page;
    },
  };
}

/** Who walks through pages asks for each once: only where walks begin is it worth to remember. */
function isBeginning({ cursor }: PetPageRequest): boolean {
  return cursor === undefined;
}

function nameOf({ status, limit }: PetPageRequest): string {
  return `${status} ${limit}`;
}
