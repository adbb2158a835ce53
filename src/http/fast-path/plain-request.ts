// Recognises the requests that the fast path can answer: GET of a list or of one animal, and createPet, in a plain form.

import type { IncomingMessage } from "node:http";
import type { RouteOptions } from "fastify";
import type { Static } from "typebox";
import { ANY_STATUS, LISTING_SORTS } from "../../domain/animals/listing.ts";
import { PET_STATUSES } from "../../domain/animals/pet.ts";
import { AGE_GROUPS, SEXES, SIZES, SPECIES } from "../../domain/animals/profile.ts";
import { PAGE_LIMIT_MAX } from "../../domain/basics/list-limits.ts";
import { BODY_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Access } from "../../domain/keys/plan.ts";
import type { ListingPageRequest } from "../pages/listing-pages.ts";
import { readListingsQuery } from "../pages/listings-query.ts";
import type { CachedBody } from "../pages/page-cache.ts";
import type { PetPageRequest } from "../pages/pet-pages.ts";
import { isJsonType } from "../request/body.ts";
import { ListingsQuery } from "../schemas/listings.ts";
import type { PendingRequest } from "../server/pending-requests.ts";

const LIMIT = /^[1-9][0-9]{0,2}$/;
const CURSOR = /^[A-Za-z0-9_-]+$/;
/** A name that is the same after decoding. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]+$/;
const PLAIN_WORD = /^[A-Za-z0-9]{1,100}$/;
const PUBLISHABLE_KEY = /^ask_pub_[0-9A-Za-z]{36}$/;
/** All of them are int64. */
const PLAIN_ID = /^[1-9][0-9]{0,17}$/;
const BASE = "/v1/";
const SCHEME = "Bearer ";
const CREATE_PET = { name: "createPet" } as const;

/** `keyInQuery` is a publishable key. */
export type PlainOperation = { keyInQuery?: string | undefined } & (
  | { name: "listPets"; page: PetPageRequest }
  | { name: "listListings"; page: ListingPageRequest }
  | { name: "getPet" | "getListing"; petId: bigint }
  | { name: "createPet" }
);

export interface PlainRoute {
  access: Access;
  isPublishable: boolean;
  isDeprecated: boolean;
  schema: RouteOptions["schema"];
}

/** A read has an ETag, a create a location. */
export type PlainContent = Omit<CachedBody, "etag"> & { etag?: string; location?: string };

export interface PlainRequest {
  readonly pending: PendingRequest;
  readonly operation: PlainOperation;
  readonly route: PlainRoute;
  readonly key: ApiKey;
  content: PlainContent | undefined;
}

/** Read the value of each parameter; undefined where the framework has to judge it. */
type Readers = Record<string, (value: string) => unknown>;

const KEY_READER: Readers = { key: (value) => (PUBLISHABLE_KEY.test(value) ? value : undefined) };
const PAGE_READERS: Readers = {
  ...KEY_READER,
  limit: (value) => (LIMIT.test(value) && Number(value) <= PAGE_LIMIT_MAX ? Number(value) : undefined),
  cursor: (value) => (CURSOR.test(value) ? value : undefined),
};
const PET_READERS: Readers = { ...PAGE_READERS, status: oneOf(PET_STATUSES) };
const LISTING_READERS: Readers = {
  ...Object.fromEntries(Object.keys(ListingsQuery.properties).map((name) => [name, () => undefined])),
  ...PAGE_READERS,
  status: oneOf([...PET_STATUSES, ANY_STATUS]),
  // One word, which most searches have.
  q: (value) => (PLAIN_WORD.test(value) ? value : undefined),
  categoryId: readId,
  species: oneOf(SPECIES),
  sex: oneOf(SEXES),
  size: oneOf(SIZES),
  ageGroup: oneOf(AGE_GROUPS),
  sort: oneOf(LISTING_SORTS),
  // One identifier, which most requests have; the framework reads a list of them.
  shelterId: (value) => (PLAIN_ID.test(value) ? value : undefined),
};

const TARGETS: Array<{
  path: string;
  list(query: string): PlainOperation | undefined;
  one: "getPet" | "getListing";
}> = [
  { path: "pets", list: readPets, one: "getPet" },
  { path: "listings", list: readListings, one: "getListing" },
];

/** The returned function gives undefined for a request that is not plain. */
export function createPlainRequestReader(): (request: IncomingMessage) => PlainOperation | undefined {
  // Most requests ask for the same list as the one before.
  let lastUrl = "";
  let lastOperation: PlainOperation | undefined;

  return (request) => {
    if (!isPlain(request)) return undefined;
    const { method, url = "" } = request;
    if (method === "POST") return isPlainCreate(request) ? CREATE_PET : undefined;
    if (method !== "GET" || hasBody(request)) return undefined;
    if (url !== lastUrl) {
      lastOperation = readTarget(url);
      // Afterwards: if the target cannot be read, the address must not get the page of another one.
      lastUrl = url;
    }
    return lastOperation;
  };
}

/** Undefined without a key, and for two of them. */
export function plainKeyOf({ keyInQuery }: PlainOperation, { headers }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return keyInQuery;
  return keyInQuery === undefined ? authorization.slice(SCHEME.length) : undefined;
}

/** Whether it asks for an operation, under HTTP/1.1, with no other authorization than a bearer key. */
function isPlain({ url = "", httpVersionMinor, headers }: IncomingMessage): boolean {
  if (!url.startsWith(BASE) || httpVersionMinor !== 1) return false;
  const { authorization, expect } = headers;
  return authorization?.startsWith(SCHEME) !== false && expect === undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/**
 * Its whole body must have arrived together with its head, as almost always: only the framework waits for the rest of a
 * body, and limits how long.
 */
function isPlainCreate({ url, headers, complete, readableLength }: IncomingMessage): boolean {
  return (
    url === `${BASE}pets` &&
    complete &&
    readableLength > 0 &&
    readableLength <= BODY_BYTES_MAX &&
    isJsonType(headers["content-type"]) &&
    headers["content-encoding"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    headers["idempotency-key"] === undefined
  );
}

/** Undefined for another path. */
function readTarget(url: string): PlainOperation | undefined {
  const target = TARGETS.find(({ path }) => url.startsWith(path, BASE.length));
  if (target === undefined) return undefined;
  const rest = url.slice(BASE.length + target.path.length);
  if (rest === "" || rest.startsWith("?")) return target.list(rest);
  const [path = "", query] = rest.split("?", 2);
  const petId = path.startsWith("/") ? readId(path.slice(1)) : undefined;
  const read = query === undefined ? {} : readQuery(rest.slice(path.length), KEY_READER);
  return petId === undefined || read === undefined
    ? undefined
    : { name: target.one, petId, keyInQuery: read.key as string | undefined };
}

function readPets(query: string): PlainOperation | undefined {
  const read = readQuery(query, PET_READERS);
  if (read === undefined) return undefined;
  const { key, ...page } = read;
  return { name: "listPets", page, keyInQuery: key as string | undefined };
}

function readListings(query: string): PlainOperation | undefined {
  const read = readQuery(query, LISTING_READERS);
  if (read === undefined) return undefined;
  const { key, limit, cursor, ...filters } = read as Static<typeof ListingsQuery> & { key?: string };
  return { name: "listListings", page: { limit, cursor, list: readListingsQuery(filters) }, keyInQuery: key };
}

/** Undefined for parameters that are repeated or not in their plainest form. Unknown ones are ignored. */
function readQuery(query: string, readers: Readers): Record<string, unknown> | undefined {
  const read: Record<string, unknown> = {};
  if (query === "") return read;
  if (query.includes("#")) return undefined;
  for (const part of query.slice(1).split("&")) {
    const equalsAt = part.indexOf("=");
    const name = equalsAt === -1 ? part : part.slice(0, equalsAt);
    if (Object.hasOwn(readers, name)) {
      const value = readers[name]?.(part.slice(name.length + 1));
      if (value === undefined || Object.hasOwn(read, name)) return undefined;
      read[name] = value;
    } else if (!PLAIN_NAME.test(name)) return undefined;
  }
  return read;
}

function oneOf(values: readonly string[]): (value: string) => string | undefined {
  return (value) => values.find((each) => each === value);
}

function readId(text: string): bigint | undefined {
  return PLAIN_ID.test(text) ? BigInt(text) : undefined;
}
