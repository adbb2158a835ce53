// The JSON of animals or listings as it is sent, with the headers that depend on it.

import { etagOf } from "./etag.ts";

export interface CachedBody {
  body: string;
  bytes: number;
  /** To the next page. */
  link?: string | undefined;
  etag: string;
}

export function createCachedBody(body: string, link?: string): CachedBody {
  return { body, bytes: Buffer.byteLength(body), link, etag: etagOf(link, body) };
}
