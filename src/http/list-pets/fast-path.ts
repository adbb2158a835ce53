// GET /v1/pets without the framework: most requests are plain lists of animals.

import type { RequestListener } from "node:http";
import type { RouteOptions } from "fastify";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Admission } from "../../domain/keys/limits.ts";
import { type Access, includesAccess } from "../../domain/keys/plan.ts";
import { perTick } from "../../tools/per-tick.ts";
import { pathWithQueryOf } from "../observe/logged-path.ts";
import type { RecordAnswer } from "../observe/request-log.ts";
import { recordKeyUse } from "../request/guard.ts";
import { createFaultAnswer } from "../response/answer-error.ts";
import {
  allowedOrigin,
  EXPOSED_HEADERS,
  FIXED_HEADERS,
  JSON_TYPE,
  rateHeaders,
  requestIdOf,
} from "../response/common-headers.ts";
import { matchesEtag } from "../response/etag.ts";
import { isPipelineEnding } from "../server/pipelines.ts";
import type { HttpServices } from "../services.ts";
import type { Arrival, ServeArrivals } from "./arrivals.ts";
import type { PetPage, PetPageRequest, PetPages } from "./pet-pages.ts";
import { createPlainRequestReader, plainKeyOf } from "./plain-request.ts";

const FIXED = Object.entries(FIXED_HEADERS).flat();

type Services = Pick<
  HttpServices,
  "keyRing" | "gate" | "log" | "logsPaths" | "metrics" | "isStopping" | "corsOrigins"
> & {
  pages: PetPages;
  record: RecordAnswer;
};

/** Whether the request goes on to the next stage now. If not, it was handed on, or goes on later. */
type Stage = (arrival: Arrival) => boolean;

/**
 * The requests of an event-loop tick go through the stages together, because code that has just run is still in the
 * processor's caches. A stage that throws fails its own request only.
 */
export function createFastPath(services: Services) {
  const { keyRing, gate, log, logsPaths, metrics, pages, isStopping, record, corsOrigins } = services;
  const readPlainRequest = createPlainRequestReader();
  const answerFault = createFaultAnswer(services);
  let access: Access = "admin";
  let schema: RouteOptions["schema"];

  /** Serves plain lists with the same bytes as the framework, and hands every other request on to it. */
  function serve(framework: RequestListener): ServeArrivals {
    const findPagesLater = perTick(findPages);
    const answerLater = perTick(answer);

    function run(stage: Stage, arrivals: Arrival[]): Arrival[] {
      return arrivals.filter((arrival) => {
        try {
          return stage(arrival);
        } catch (fault) {
          return fail(arrival, fault);
        }
      });
    }

    function fail(arrival: Arrival, fault: unknown): false {
      // Before an admission nothing was charged, so that the framework can try again.
      if (arrival.admission !== undefined) arrival.fault = fault;
      if (!arrival.response.headersSent) return handOn(arrival);
      answerFault(arrival, fault);
      return false;
    }

    /** The framework takes over what the record holds: nothing is decided or charged twice. */
    function handOn(arrival: Arrival): false {
      const { request, response, pipeline } = arrival;
      // An earlier request of the same tick may have ended the connection with its response.
      if (isPipelineEnding(pipeline)) return false;
      try {
        framework(request, response);
      } catch (fault) {
        answerFault(arrival, fault);
      }
      return false;
    }

    function recognise(arrival: Arrival): boolean {
      const { request, formFault } = arrival;
      arrival.wanted = isStopping() || formFault ? undefined : readPlainRequest(request);
      if (arrival.wanted === undefined) return handOn(arrival);
      arrival.key = keyRing.recall(plainKeyOf(request));
      return arrival.key && includesAccess(arrival.key.access, access) ? true : handOn(arrival);
    }

    /** A gate that fails has charged nothing: the framework asks it again and answers its failure. */
    function admit(arrival: Arrival): boolean {
      const key = arrival.key as ApiKey;
      recordKeyUse(keyRing, key, log);
      const admission = gate.admit(key);
      if (!(admission instanceof Promise)) {
        arrival.admission = admission;
        return true;
      }
      admission.then(
        (decided) => {
          arrival.admission = decided;
          findPagesLater(arrival);
        },
        () => handOn(arrival),
      );
      return false;
    }

    function findPage(arrival: Arrival): boolean {
      const { verdict, versions } = arrival.admission as Admission;
      if (verdict !== "admitted") return handOn(arrival);
      const wanted = arrival.wanted as PetPageRequest;
      arrival.page = pages.recall(wanted, versions?.pets);
      if (arrival.page !== undefined) return true;
      pages.read(wanted, versions?.pets).then(
        (page) => {
          arrival.page = page;
          answerLater(arrival);
        },
        (fault) => fail(arrival, fault),
      );
      return false;
    }

    function findPages(arrivals: Arrival[]): void {
      answer(run(findPage, arrivals));
    }

    function answer(arrivals: Arrival[]): void {
      const sent = run(send, arrivals);
      const endMs = performance.now();
      run((arrival) => recordSent(arrival, endMs), sent);
    }

    function send(arrival: Arrival): boolean {
      const { request, response } = arrival;
      const page = arrival.page as PetPage;
      // An idle connection keeps its last request in memory, but must not keep the page.
      arrival.page = undefined;
      arrival.requestId = requestIdOf(request);
      const headers = pageHeaders(arrival, page, allowedOrigin(request.headers.origin, corsOrigins));
      if (matchesEtag(request.headers["if-none-match"], page.etag)) response.writeHead(304, headers).end();
      else {
        headers.push("content-type", JSON_TYPE, "content-length", String(page.bytes));
        response.writeHead(200, headers).end(page.body);
      }
      return true;
    }

    function recordSent({ request, requestId, key, startMs, response }: Arrival, endMs: number): boolean {
      metrics.countDecision("key", "admitted");
      const { statusCode: status } = response;
      const path = logsPaths ? pathWithQueryOf(request.url ?? "", schema) : undefined;
      record({ requestId, method: "GET", operation: "listPets", key, path, status, ms: endMs - startMs });
      return true;
    }

    return (arrivals) => findPages(run(admit, run(recognise, arrivals)));
  }

  /** Hook for `onRoute`: the access that listPets needs, and its parameters. */
  function readRoute(route: RouteOptions): void {
    if (route.schema?.operationId !== "listPets") return;
    access = route.config?.access ?? "admin";
    schema = route.schema;
  }

  return { serve, readRoute };
}

/** A list of names and values: Node writes it up to 40 % faster than an object with the same headers. */
function pageHeaders(
  { requestId, admission }: Arrival,
  { link, etag }: PetPage,
  origin: string | undefined,
): string[] {
  const headers = [...FIXED, "x-request-id", requestId];
  if (origin !== undefined)
    headers.push("access-control-allow-origin", origin, "access-control-expose-headers", EXPOSED_HEADERS);
  const rate = rateHeaders(admission as Admission);
  // Not in a loop over the names, which would take 0.2 µs more.
  headers.push("x-ratelimit-limit", rate["x-ratelimit-limit"]);
  headers.push("x-ratelimit-remaining", rate["x-ratelimit-remaining"]);
  headers.push("x-ratelimit-reset", rate["x-ratelimit-reset"]);
  headers.push("ratelimit-policy", rate["ratelimit-policy"], "ratelimit", rate.ratelimit);
  if (link !== undefined) headers.push("link", link);
  headers.push("etag", etag);
  return headers;
}
