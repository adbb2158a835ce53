// Recognises the requests that the fast path can answer: GET of a list or of one animal, in a plain form.

import type { IncomingMessage } from "node:http";
import { PAGE_LIMIT_MAX } from "../../domain/page.ts";
import { PET_STATUSES } from "../../domain/pet.ts";
import type { PetPageRequest } from "./pet-pages.ts";

const PATH = "/v1/pets";
const LIMIT = /^[1-9][0-9]{0,2}$/;
const CURSOR = /^[A-Za-z0-9_-]+$/;
/** A name that is the same after decoding. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]+$/;
/** All of them are int64. */
const PET_ID = /^[1-9][0-9]{0,17}$/;
const SCHEME = "Bearer ";

/** What a plain request asks for. */
export type Wanted = { operation: "listPets"; page: PetPageRequest } | { operation: "getPet"; petId: bigint };

/** The returned function gives undefined for a request that is not plain. */
export function createPlainRequestReader(): (request: IncomingMessage) => Wanted | undefined {
  // Most requests ask for the same list as the one before.
  let lastUrl = "";
  let lastWanted: Wanted | undefined;

  return (request) => {
    if (!isPlain(request)) return undefined;
    const { url = "" } = request;
    if (url !== lastUrl) {
      lastUrl = url;
      lastWanted = readTarget(url);
    }
    return lastWanted;
  };
}

/** The key of a plain request. */
export function plainKeyOf({ headers }: IncomingMessage): string {
  return (headers.authorization as string).slice(SCHEME.length);
}

/** A GET under HTTP/1.1 with a bearer key and without a body. */
function isPlain({ method, url = "", httpVersionMinor, headers }: IncomingMessage): boolean {
  if (method !== "GET" || !url.startsWith(PATH) || httpVersionMinor !== 1) return false;
  const { authorization, expect } = headers;
  if (authorization === undefined || !authorization.startsWith(SCHEME) || expect !== undefined) return false;
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

/** Undefined for another path. */
function readTarget(url: string): Wanted | undefined {
  const rest = url.slice(PATH.length);
  if (rest === "" || rest.startsWith("?")) {
    const page = readQuery(rest);
    return page && { operation: "listPets", page };
  }
  const id = rest.slice(1);
  return rest.startsWith("/") && PET_ID.test(id) ? { operation: "getPet", petId: BigInt(id) } : undefined;
}

/** Undefined for parameters of a list that are repeated or not in their plainest form. Unknown ones are ignored. */
function readQuery(query: string): PetPageRequest | undefined {
  const read: PetPageRequest = { limit: undefined, status: undefined, cursor: undefined };
  if (query === "") return read;
  if (query.includes("#")) return undefined;
  for (const part of query.slice(1).split("&")) {
    const equalsAt = part.indexOf("=");
    const name = equalsAt === -1 ? part : part.slice(0, equalsAt);
    if (!readParameter(read, name, part.slice(name.length + 1))) return undefined;
  }
  return read;
}

/** False for a parameter that the framework has to judge. */
function readParameter(read: PetPageRequest, name: string, value: string): boolean {
  if (!Object.hasOwn(read, name)) return PLAIN_NAME.test(name);
  const known = name as keyof PetPageRequest;
  if (read[known] !== undefined) return false;
  if (known === "status") read.status = PET_STATUSES.find((status) => status === value);
  if (known === "cursor" && CURSOR.test(value)) read.cursor = value;
  if (known === "limit" && LIMIT.test(value) && Number(value) <= PAGE_LIMIT_MAX) read.limit = Number(value);
  return read[known] !== undefined;
}
