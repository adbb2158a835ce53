// First pages as they are sent, cached until an animal changes and for at most one second.

import type { FastifyReply } from "fastify";
import type { Clock } from "../../domain/basics/clock.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import { etagOf } from "./etag.ts";
import type { PageRequest } from "./pages.ts";

/** The JSON of animals or listings as it is sent, with the headers that depend on it. */
export interface CachedBody {
  body: string;
  bytes: number;
  /** The header `Link`, which leads to the next page. */
  link?: string | undefined;
  etag: string;
}

export function createCachedBody(body: string, link?: string): CachedBody {
  return { body, bytes: Buffer.byteLength(body), link, etag: etagOf(link, body) };
}

/** Limits the harm of a version that was not published. */
const MAX_AGE_MS = 1_000;

export interface PageCache<R extends PageRequest> {
  /** From the cache. Undefined without a version, because a page may then be stale. */
  recall(request: R, version: number | undefined): CachedBody | undefined;
  /** Throws `invalid_cursor`. */
  read(request: R, version: number | undefined): Promise<CachedBody>;
}

interface PageCacheOptions<R extends PageRequest> {
  clock: Clock;
  /** Reads a page from the store. */
  read(request: R): Promise<CachedBody>;
  /** Equal for requests of the same page. */
  keyOf(request: R): string;
  entriesMax: number;
  /** Larger pages are not cached, so that the cache stays small. */
  charactersMax: number;
}

export function createPageCache<R extends PageRequest>(options: PageCacheOptions<R>): PageCache<R> {
  const { clock, read, keyOf, entriesMax, charactersMax } = options;
  const entries = createBoundedMap<string, { version: number; readAtMs: number; page: CachedBody }>(
    entriesMax,
  );
  // After a change, all requests of an event-loop tick ask for the same page: it is read once for them.
  const reading = new Map<string, { version: number; page: Promise<CachedBody> }>();

  async function readAndCache(request: R, key: string, version: number): Promise<CachedBody> {
    const readAtMs = clock.monotonicMs();
    const page = await read(request);
    if (page.body.length <= charactersMax) entries.set(key, { version, readAtMs, page });
    return page;
  }

  return {
    recall(request, version) {
      const entry = isFirst(request) ? entries.get(keyOf(request)) : undefined;
      if (entry === undefined || entry.version !== version) return undefined;
      return clock.monotonicMs() - entry.readAtMs < MAX_AGE_MS ? entry.page : undefined;
    },

    read(request, version) {
      if (version === undefined || !isFirst(request)) return read(request);
      const key = keyOf(request);
      const other = reading.get(key);
      if (other?.version === version) return other.page;
      const mine = { version, page: readAndCache(request, key, version) };
      reading.set(key, mine);
      const forget = () => {
        if (reading.get(key) === mine) reading.delete(key);
      };
      mine.page.then(forget, forget);
      return mine.page;
    },
  };
}

/** Answers through the framework. Fastify sends a string unchanged, without serialising it. */
export async function answerCachedPage<R extends PageRequest>(
  reply: FastifyReply,
  pages: PageCache<R>,
  request: R,
  version: number | undefined,
): Promise<string> {
  const { link, body, etag } = pages.recall(request, version) ?? (await pages.read(request, version));
  if (link !== undefined) reply.header("link", link);
  reply.type(JSON_TYPE).header("etag", etag);
  return body;
}

/** Only first pages are cached: a client that follows links asks for each later page once. */
function isFirst({ cursor }: PageRequest): boolean {
  return cursor === undefined;
}
