// A list that is read page by page, or item by item over all pages.

import { type Answer, unexpectedAnswer } from "./answer.ts";
import { nextCursor } from "./link.ts";
import type { ServiceRequest } from "./request.ts";

/**
 * One page of a list.
 *
 * @example
 * const page: Page<Pet> = await client.listPets({ limit: 10 }).page();
 * console.log(page.items.length, page.next);
 */
export interface Page<T> {
  items: T[];
  /** The `cursor` of the next page; undefined on the last one. */
  next: string | undefined;
  /** Pass it to `page({ ifNoneMatch })`. */
  etag: string | undefined;
}

/**
 * `for await` reads the items of all pages, from the given cursor or from the first page.
 *
 * @example
 * for await (const pet of client.listPets({ status: "available" })) console.log(pet.name);
 * const { items, next } = await client.listPets({ limit: 10 }).page();
 */
export interface Pages<T> extends AsyncIterable<T> {
  /** One page. */
  page(): Promise<Page<T>>;
  /** Undefined while the page still has this ETag. */
  page(known: { ifNoneMatch: string | undefined }): Promise<Page<T> | undefined>;
  /** All pages, one after another. */
  pages(): AsyncIterable<Page<T>>;
}

/** The page to read, and the ETag of the version that the caller has. */
export interface PageRequest {
  cursor?: string | undefined;
  ifNoneMatch?: string | undefined;
}

export function createPages<T>(
  build: (page: PageRequest) => ServiceRequest,
  send: (request: ServiceRequest) => Promise<Answer>,
): Pages<T> {
  async function read(wanted: PageRequest): Promise<Page<T> | undefined> {
    const request = build(wanted);
    const { status, headers, body } = await send(request);
    if (status === 304) return undefined;
    if (!Array.isArray(body)) throw unexpectedAnswer(request, { status, headers });
    return { items: body, next: nextCursor(headers.get("link")), etag: headers.get("etag") ?? undefined };
  }

  async function* pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = (await read({ cursor })) as Page<T>;
      yield page;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  return {
    page: ((known: PageRequest = {}) => read(known)) as Pages<T>["page"],
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}
