// listPets past the framework: most requests are this one, and most of those ask for nothing special.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiKey } from "../domain/api-key.ts";
import type { Admission } from "../domain/limits.ts";
import { PAGE_LIMIT_DEFAULT } from "../domain/page.ts";
import { PET_STATUSES } from "../domain/pet.ts";
import { noteUse } from "./authenticate.ts";
import { pageHeaders, requestIdOf } from "./common-headers.ts";
import { decidedBefore } from "./decided.ts";
import type { PetPage, PetPageRequest, PetPages } from "./pet-pages.ts";
import { rateTexts } from "./rate-headers.ts";
import { pendingAnswers } from "./raw-answer.ts";
import type { RecordAnswer } from "./request-log.ts";
import type { HttpServices } from "./services.ts";

const PATH = "/v1/pets";
const LIMIT = /^(?:[1-9][0-9]?|100)$/;
const CURSOR = /^[A-Za-z0-9_-]+$/;
const SCHEME = "Bearer ";

type Services = Pick<HttpServices, "keyRing" | "gate" | "log" | "metrics" | "isStopping">;
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Answers what it can with the very bytes that the framework's way gives, and hands everything else on: refusals,
 * faults, other operations, conditions, pages of other origins, keys that are not in memory.
 */
export function createDirectList(
  services: Services & { pages: PetPages; record: RecordAnswer },
  next: Handler,
): Handler {
  const { keyRing, gate, log, metrics, pages, isStopping, record } = services;

  // The same list is asked for again and again.
  let lastUrl = "";
  let lastWanted: PetPageRequest | undefined;
  function wantedOf(url: string): PetPageRequest | undefined {
    if (url === lastUrl) return lastWanted;
    lastUrl = url;
    lastWanted = readQuery(url);
    return lastWanted;
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const wanted = isPlain(request) && !isStopping() ? wantedOf(request.url as string) : undefined;
    const key = wanted && keyRing.recall((request.headers.authorization as string).slice(SCHEME.length));
    if (wanted === undefined || key === undefined) {
      next(request, response);
      return;
    }
    const startMs = performance.now();
    noteUse(keyRing, key, log);
    pendingAnswers.set(request.socket, response);
    const admission = gate.admit(key);
    const exchange = { request, response, wanted, key, startMs };
    if (!(admission instanceof Promise)) proceed(exchange, admission);
    else
      admission.then(
        (decided) => proceed(exchange, decided),
        () => next(request, response),
      );
  }

  function proceed(exchange: Exchange, admission: Admission): void {
    const { request, response, wanted, key } = exchange;
    if (admission.verdict === "stale") {
      next(request, response);
      return;
    }
    if (admission.verdict !== "admitted") {
      decidedBefore.set(request, { key, admission });
      next(request, response);
      return;
    }
    const version = admission.versions?.pets;
    const page = pages.recall(wanted, version);
    if (page !== undefined) {
      send(exchange, admission, page);
      return;
    }
    pages.read(wanted, version).then(
      (read) => send(exchange, admission, read),
      (fault) => {
        decidedBefore.set(request, { key, admission, fault });
        next(request, response);
      },
    );
  }

  function send({ request, response, key, startMs }: Exchange, admission: Admission, page: PetPage): void {
    const requestId = requestIdOf(request);
    response.writeHead(200, pageHeaders(requestId, rateTexts(admission), page));
    response.end(page.body);
    metrics.countDecision("key", admission.verdict);
    record({
      requestId,
      method: "GET",
      operation: "listPets",
      key,
      status: 200,
      ms: performance.now() - startMs,
    });
  }

  return handle;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  wanted: PetPageRequest;
  key: ApiKey;
  startMs: number;
}

/** A GET of the list under HTTP/1.1 with a bearer key, and without anything that changes the answer. */
function isPlain({ method, url = "", httpVersionMinor, headers }: IncomingMessage): boolean {
  if (method !== "GET" || !url.startsWith(PATH) || httpVersionMinor !== 1) return false;
  const { authorization, host, origin, expect } = headers;
  if (authorization === undefined || !authorization.startsWith(SCHEME) || host === undefined) return false;
  if (origin !== undefined || expect !== undefined || headers["if-none-match"] !== undefined) return false;
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

/** Undefined for another path, and for parameters that are not in their plainest form. */
function readQuery(url: string): PetPageRequest | undefined {
  const read: PetPageRequest = { limit: 0, status: undefined, cursor: undefined };
  if (url.length > PATH.length) {
    if (url[PATH.length] !== "?") return undefined;
    for (const part of url.slice(PATH.length + 1).split("&")) {
      if (!readParameter(part, read)) return undefined;
    }
  }
  if (read.limit === 0) read.limit = PAGE_LIMIT_DEFAULT;
  return read;
}

/** False for what is not plain, or comes a second time. */
function readParameter(part: string, read: PetPageRequest): boolean {
  if (part.startsWith("status=") && read.status === undefined) {
    read.status = PET_STATUSES.find((status) => part.endsWith(status) && part.length === 7 + status.length);
    return read.status !== undefined;
  }
  if (part.startsWith("limit=") && read.limit === 0) {
    const text = part.slice(6);
    if (LIMIT.test(text)) read.limit = Number(text);
    return read.limit > 0;
  }
  if (!part.startsWith("cursor=") || read.cursor !== undefined) return false;
  const text = part.slice(7);
  if (CURSOR.test(text)) read.cursor = text;
  return read.cursor !== undefined;
}
