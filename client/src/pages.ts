// A list that is walked page by page, or item by item over all pages.

import { type Answer, unexpectedAnswer } from "./answer.ts";
import { nextCursor } from "./link.ts";
import type { ServiceRequest } from "./request.ts";

export interface Page<T> {
  items: T[];
  /** The `cursor` of the page after this one; undefined on the last. */
  next: string | undefined;
  /** For `page({ ifNoneMatch })`. */
  etag: string | undefined;
}

/** `for await` walks the items of all pages, from the cursor that was asked for, or from the first. */
export interface Pages<T> extends AsyncIterable<T> {
  /** One page. */
  page(): Promise<Page<T>>;
  /** Undefined while the page is still the one with this ETag. */
  page(known: { ifNoneMatch: string | undefined }): Promise<Page<T> | undefined>;
  /** Page after page. */
  pages(): AsyncIterable<Page<T>>;
}

/** Which page, and which state of it is known already. */
export interface Where {
  cursor?: string | undefined;
  ifNoneMatch?: string | undefined;
}

export function createPages<T>(
  build: (where: Where) => ServiceRequest,
  send: (request: ServiceRequest) => Promise<Answer>,
): Pages<T> {
  async function read(where: Where): Promise<Page<T> | undefined> {
    const request = build(where);
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
    page: ((known: Where = {}) => read(known)) as Pages<T>["page"],
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}
