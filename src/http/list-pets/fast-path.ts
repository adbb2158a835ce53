// GET /v1/pets without the framework: most requests are plain lists of animals.

import type { RequestListener } from "node:http";
import type { RouteOptions } from "fastify";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Admission } from "../../domain/keys/limits.ts";
import { type Access, includesAccess } from "../../domain/keys/plan.ts";
import { perTick } from "../../tools/per-tick.ts";
import type { RecordAnswer } from "../observe/request-log.ts";
import { recordKeyUse } from "../request/authenticate.ts";
import {
  CACHE_CONTROL,
  CONTENT_TYPE_OPTIONS,
  JSON_TYPE,
  requestIdOf,
  VARY,
} from "../response/common-headers.ts";
import { createFaultAnswer } from "../response/error-answer.ts";
import { matchesEtag } from "../response/etag.ts";
import { rateTexts } from "../response/rate-headers.ts";
import { isPipelineEnding } from "../server/pipelines.ts";
import type { HttpServices } from "../services.ts";
import type { Arrival, ServeArrivals } from "./arrivals.ts";
import type { PetPage, PetPageRequest, PetPages } from "./pet-pages.ts";
import { createPlainListReader } from "./plain-list.ts";

type Services = Pick<HttpServices, "keyRing" | "gate" | "log" | "metrics" | "isStopping" | "corsOrigins"> & {
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
  const { keyRing, gate, log, metrics, pages, isStopping, record } = services;
  const readPlainList = createPlainListReader();
  const answerFault = createFaultAnswer(services);
  let access: Access = "admin";

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
      arrival.fault = fault;
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
      const plain = isStopping() || arrival.formFault ? undefined : readPlainList(arrival.request);
      arrival.key = plain && keyRing.recall(plain.secret);
      if (arrival.key === undefined || !includesAccess(arrival.key.access, access)) return handOn(arrival);
      arrival.wanted = plain?.wanted;
      return true;
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
      arrival.requestId = requestIdOf(request);
      const headers = pageHeaders(arrival, page);
      if (matchesEtag(request.headers["if-none-match"], page.etag)) response.writeHead(304, headers).end();
      else {
        headers.push("content-type", JSON_TYPE, "content-length", String(page.bytes));
        response.writeHead(200, headers).end(page.body);
      }
      return true;
    }

    function recordSent({ requestId, key, startMs, response }: Arrival, endMs: number): boolean {
      metrics.countDecision("key", "admitted");
      const { statusCode: status } = response;
      record({ requestId, method: "GET", operation: "listPets", key, status, ms: endMs - startMs });
      return true;
    }

    return (arrivals) => findPages(run(admit, run(recognise, arrivals)));
  }

  /** Hook for `onRoute`: the access that listPets needs. */
  function readAccess({ schema, config }: RouteOptions): void {
    if (schema?.operationId === "listPets") access = config?.access ?? "admin";
  }

  return { serve, readAccess };
}

/** A list of names and values: Node writes it up to 40 % faster than an object with the same headers. */
function pageHeaders({ requestId, admission }: Arrival, { link, etag }: PetPage): string[] {
  const { limit, remaining, reset, policy, state } = rateTexts(admission as Admission);
  const headers = ["cache-control", CACHE_CONTROL, "x-content-type-options", CONTENT_TYPE_OPTIONS];
  headers.push("vary", VARY, "x-request-id", requestId);
  headers.push("x-ratelimit-limit", limit, "x-ratelimit-remaining", remaining, "x-ratelimit-reset", reset);
  headers.push("ratelimit-policy", policy, "ratelimit", state);
  if (link !== undefined) headers.push("link", link);
  headers.push("etag", etag);
  return headers;
}
