// Recognises the requests that the fast path can answer: GET of a list or of one animal, and createPet, in a plain form.

import type { IncomingMessage } from "node:http";
import type { Static } from "typebox";
import { LISTING_SORTS } from "../../domain/animals/listing.ts";
import { PET_STATUSES } from "../../domain/animals/pet.ts";
import { AGE_GROUPS, SEXES, SIZES, SPECIES } from "../../domain/animals/profile.ts";
import { PAGE_LIMIT_MAX } from "../../domain/basics/list-limits.ts";
import type { ListingPageRequest } from "../pages/listing-pages.ts";
import { readListingsQuery } from "../pages/listings-query.ts";
import type { PetPageRequest } from "../pages/pet-pages.ts";
import { ListingsQuery } from "../schemas/listings.ts";
import { isPlainCreate } from "./new-pet.ts";

const LIMIT = /^[1-9][0-9]{0,2}$/;
const CURSOR = /^[A-Za-z0-9_-]+$/;
/** A name that is the same after decoding. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]+$/;
/** All of them are int64. */
const PLAIN_ID = /^[1-9][0-9]{0,17}$/;
const BASE = "/v1/";
const SCHEME = "Bearer ";

/** What a plain request asks for. */
export type Wanted =
  | { operation: "listPets"; page: PetPageRequest }
  | { operation: "listListings"; page: ListingPageRequest }
  | { operation: "getPet" | "getListing"; petId: bigint }
  | typeof CREATE_PET;

const CREATE_PET = { operation: "createPet" } as const;

/** For each parameter of an operation: its value, or undefined where the framework has to judge it. */
type Readers = Record<string, (value: string) => unknown>;

const PAGE_READERS: Readers = {
  limit: (value) => (LIMIT.test(value) && Number(value) <= PAGE_LIMIT_MAX ? Number(value) : undefined),
  cursor: (value) => (CURSOR.test(value) ? value : undefined),
};
const PET_READERS: Readers = { ...PAGE_READERS, status: oneOf(PET_STATUSES) };
const LISTING_READERS: Readers = {
  ...Object.fromEntries(Object.keys(ListingsQuery.properties).map((name) => [name, () => undefined])),
  ...PET_READERS,
  categoryId: readId,
  species: oneOf(SPECIES),
  sex: oneOf(SEXES),
  size: oneOf(SIZES),
  ageGroup: oneOf(AGE_GROUPS),
  sort: oneOf(LISTING_SORTS),
};

const TARGETS: Array<{
  path: string;
  list(query: string): Wanted | undefined;
  one: "getPet" | "getListing";
}> = [
  { path: "pets", list: readPets, one: "getPet" },
  { path: "listings", list: readListings, one: "getListing" },
];

/** The returned function gives undefined for a request that is not plain. */
export function createPlainRequestReader(): (request: IncomingMessage) => Wanted | undefined {
  // Most requests ask for the same list as the one before.
  let lastUrl = "";
  let lastWanted: Wanted | undefined;

  return (request) => {
    if (!isPlain(request)) return undefined;
    const { method, url = "" } = request;
    if (method === "POST") return isPlainCreate(request) ? CREATE_PET : undefined;
    if (method !== "GET" || hasBody(request)) return undefined;
    if (url !== lastUrl) {
      lastWanted = readTarget(url);
      // Afterwards: if the target cannot be read, the address must not get the page of another one.
      lastUrl = url;
    }
    return lastWanted;
  };
}

/** The key of a plain request. */
export function plainKeyOf({ headers }: IncomingMessage): string {
  return (headers.authorization as string).slice(SCHEME.length);
}

/** Of an operation, under HTTP/1.1, with a bearer key. */
function isPlain({ url = "", httpVersionMinor, headers }: IncomingMessage): boolean {
  if (!url.startsWith(BASE) || httpVersionMinor !== 1) return false;
  const { authorization, expect } = headers;
  return authorization?.startsWith(SCHEME) === true && expect === undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Undefined for another path. */
function readTarget(url: string): Wanted | undefined {
  const target = TARGETS.find(({ path }) => url.startsWith(path, BASE.length));
  if (target === undefined) return undefined;
  const rest = url.slice(BASE.length + target.path.length);
  if (rest === "" || rest.startsWith("?")) return target.list(rest);
  const petId = rest.startsWith("/") ? readId(rest.slice(1)) : undefined;
  return petId === undefined ? undefined : { operation: target.one, petId };
}

function readPets(query: string): Wanted | undefined {
  const page = readQuery(query, PET_READERS);
  return page && { operation: "listPets", page };
}

function readListings(query: string): Wanted | undefined {
  const read = readQuery(query, LISTING_READERS);
  if (read === undefined) return undefined;
  const { limit, cursor, ...filters } = read as Static<typeof ListingsQuery>;
  return { operation: "listListings", page: { limit, cursor, list: readListingsQuery(filters) } };
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
