// Recognises plain lists of animals, and reads which page each asks for.

import type { IncomingMessage } from "node:http";
import { PAGE_LIMIT_MAX } from "../../domain/page.ts";
import { PET_STATUSES } from "../../domain/pet.ts";
import type { PetPageRequest } from "./pet-pages.ts";

const PATH = "/v1/pets";
const LIMIT = /^[1-9][0-9]{0,2}$/;
const CURSOR = /^[A-Za-z0-9_-]+$/;
const SCHEME = "Bearer ";

interface PlainList {
  secret: string;
  wanted: PetPageRequest;
}

/** Undefined for every request that is not a list in its plainest form. The form of the request was checked before. */
export type ReadPlainList = (request: IncomingMessage) => PlainList | undefined;

export function createPlainListReader(): ReadPlainList {
  // Most requests ask for the same list as the one before.
  let lastUrl = "";
  let lastWanted: PetPageRequest | undefined;

  return (request) => {
    if (!isPlain(request)) return undefined;
    const { url = "", headers } = request;
    if (url !== lastUrl) {
      lastUrl = url;
      lastWanted = readQuery(url);
    }
    return (
      lastWanted && { secret: (headers.authorization as string).slice(SCHEME.length), wanted: lastWanted }
    );
  };
}

/** A GET of the list under HTTP/1.1 with a bearer key, without a body and without CORS. */
function isPlain(request: IncomingMessage): boolean {
  const { method, url = "", httpVersionMinor, headers } = request;
  if (method !== "GET" || !url.startsWith(PATH) || httpVersionMinor !== 1) return false;
  const { authorization, origin, expect } = headers;
  if (authorization === undefined || !authorization.startsWith(SCHEME)) return false;
  if (origin !== undefined || expect !== undefined) return false;
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

/** Undefined for another path, and for parameters that are not in their plainest form. */
function readQuery(url: string): PetPageRequest | undefined {
  const read: PetPageRequest = { limit: undefined, status: undefined, cursor: undefined };
  if (url.length > PATH.length) {
    if (url[PATH.length] !== "?") return undefined;
    for (const part of url.slice(PATH.length + 1).split("&")) {
      if (!readParameter(part, read)) return undefined;
    }
  }
  return read;
}

/** False for a parameter that is not plain, or comes a second time. */
function readParameter(part: string, read: PetPageRequest): boolean {
  if (part.startsWith("status=") && read.status === undefined) {
    read.status = PET_STATUSES.find((status) => part.endsWith(status) && part.length === 7 + status.length);
    return read.status !== undefined;
  }
  if (part.startsWith("limit=") && read.limit === undefined) {
    const text = part.slice(6);
    if (LIMIT.test(text) && Number(text) <= PAGE_LIMIT_MAX) read.limit = Number(text);
    return read.limit !== undefined;
  }
  if (!part.startsWith("cursor=") || read.cursor !== undefined) return false;
  const text = part.slice(7);
  if (CURSOR.test(text)) read.cursor = text;
  return read.cursor !== undefined;
}
