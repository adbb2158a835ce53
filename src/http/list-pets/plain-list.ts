// Which requests are plain lists of animals, and what each asks for.

import type { IncomingMessage } from "node:http";
import { PET_STATUSES } from "../../domain/pet.ts";
import { findFormFault } from "../request/request-form.ts";
import type { PetPageRequest } from "./pet-pages.ts";

const PATH = "/v1/pets";
const LIMIT = /^(?:[1-9][0-9]?|100)$/;
const CURSOR = /^[A-Za-z0-9_-]+$/;
const SCHEME = "Bearer ";

interface PlainList {
  secret: string;
  wanted: PetPageRequest;
}

/** Undefined for everything that is not a list in its plainest form. */
export type ReadPlainList = (request: IncomingMessage) => PlainList | undefined;

export function createPlainListReader(): ReadPlainList {
  // The same list is asked for again and again.
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

/** A GET of the list under HTTP/1.1 with a bearer key, and without anything that changes the answer. */
function isPlain(request: IncomingMessage): boolean {
  const { method, url = "", httpVersionMinor, headers } = request;
  if (method !== "GET" || !url.startsWith(PATH) || httpVersionMinor !== 1) return false;
  const { authorization, origin, expect } = headers;
  if (authorization === undefined || !authorization.startsWith(SCHEME)) return false;
  if (origin !== undefined || expect !== undefined || headers["if-none-match"] !== undefined) return false;
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return false;
  return findFormFault(request) === undefined;
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

/** False for what is not plain, or comes a second time. */
function readParameter(part: string, read: PetPageRequest): boolean {
  if (part.startsWith("status=") && read.status === undefined) {
    read.status = PET_STATUSES.find((status) => part.endsWith(status) && part.length === 7 + status.length);
    return read.status !== undefined;
  }
  if (part.startsWith("limit=") && read.limit === undefined) {
    const text = part.slice(6);
    if (LIMIT.test(text)) read.limit = Number(text);
    return read.limit !== undefined;
  }
  if (!part.startsWith("cursor=") || read.cursor !== undefined) return false;
  const text = part.slice(7);
  if (CURSOR.test(text)) read.cursor = text;
  return read.cursor !== undefined;
}
