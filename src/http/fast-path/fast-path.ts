// Plain reads of animals and listings, and plain creates of animals, without the framework: most requests are these.

import type { RequestListener } from "node:http";
import type { RouteOptions } from "fastify";
import { listingJson } from "../../domain/animals/listing.ts";
import { petJson, requirePet } from "../../domain/animals/pet.ts";
import { isGetPetRemoved } from "../../domain/basics/deprecation.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Admission } from "../../domain/keys/limits.ts";
import { type Access, includesAccess } from "../../domain/keys/plan.ts";
import { perTick } from "../../tools/per-tick.ts";
import { recordKeyUse } from "../admission/admission.ts";
import {
  allowedOrigin,
  EXPOSED_HEADERS,
  FIXED_HEADERS,
  JSON_TYPE,
  rateHeaders,
  requestIdOf,
} from "../headers/common-headers.ts";
import { createDeprecationHeaders } from "../headers/deprecation-headers.ts";
import { headerLines, writeHead } from "../headers/write-head.ts";
import { pathWithQueryOf } from "../observe/logged-path.ts";
import type { RecordAnswer } from "../observe/request-log.ts";
import { type Content, createContent } from "../pages/cached-body.ts";
import { matchesEtag } from "../pages/etag.ts";
import type { ListingPages } from "../pages/listing-pages.ts";
import type { PetPages } from "../pages/pet-pages.ts";
import { createFaultAnswer } from "../replies/answer-error.ts";
import type { Arrival, ServeArrivals } from "../server/pending-requests.ts";
import { isPipelineEnding } from "../server/pipelines.ts";
import type { HttpServices } from "../services.ts";
import { type CreatedContent, createPetCreator } from "./new-pet.ts";
import { createPlainRequestReader, plainKeyOf, type Wanted } from "./plain-request.ts";

const FIXED = headerLines(FIXED_HEADERS);
const EXPOSED = headerLines({ "access-control-expose-headers": EXPOSED_HEADERS });
const CONTENT_TYPE = headerLines({ "content-type": JSON_TYPE });

type Services = Pick<
  HttpServices,
  | "clock"
  | "corsOrigins"
  | "gate"
  | "getPetDeprecatedMs"
  | "isStopping"
  | "keyRing"
  | "listings"
  | "log"
  | "logsPaths"
  | "metrics"
  | "pets"
  | "publicUrl"
>;

interface Parts {
  petPages: PetPages;
  listingPages: ListingPages;
  record: RecordAnswer;
}

type ReadWanted = Exclude<Wanted, { operation: "createPet" }>;

/** What the route of an operation declares. */
interface FastRoute {
  access: Access;
  isDeprecated: boolean;
  schema: RouteOptions["schema"];
}

/** Whether the request goes on to the next stage now. If not, it was handed on, or goes on later. */
type Stage = (arrival: Arrival) => boolean;

/**
 * The requests of an event-loop tick go through the stages together, because code that has just run is still in the
 * processor's caches. A stage that throws fails its own request only.
 */
export function createFastPath(services: Services, { petPages, listingPages, record }: Parts) {
  const { keyRing, gate, log, logsPaths, metrics, pets, listings } = services;
  const { isStopping, clock, corsOrigins, publicUrl } = services;
  const readPlainRequest = createPlainRequestReader();
  const create = createPetCreator(services);
  const answerFault = createFaultAnswer(services);
  const deprecationHeaders = createDeprecationHeaders(services);
  const routes: Partial<Record<string, FastRoute>> = {};

  /** Serves plain requests with the same bytes as the framework, and hands every other request on to it. */
  function serve(framework: RequestListener): ServeArrivals {
    const findContentsLater = perTick(findContents);
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
      const { request, formFault, pipeline } = arrival;
      // As in `handOn`. A read that cannot be answered any more does no harm, but a create would.
      if (request.method === "POST" && isPipelineEnding(pipeline)) return false;
      const wanted = isStopping() || formFault ? undefined : readPlainRequest(request);
      const route = wanted && routes[wanted.operation];
      if (route === undefined || (route.isDeprecated && isGetPetRemoved(clock.nowMs())))
        return handOn(arrival);
      arrival.wanted = wanted;
      arrival.key = keyRing.recall(plainKeyOf(request));
      return arrival.key && includesAccess(arrival.key.access, route.access) ? true : handOn(arrival);
    }

    /** A gate that fails has charged nothing: the framework asks it again and answers its failure. */
    function admit(arrival: Arrival): boolean {
      const key = arrival.key as ApiKey;
      recordKeyUse(keyRing, key, { log, isDeprecated: routeOf(arrival).isDeprecated });
      const admission = gate.admit(key);
      if (!(admission instanceof Promise)) {
        arrival.admission = admission;
        return true;
      }
      admission.then(
        (decided) => {
          arrival.admission = decided;
          findContentsLater(arrival);
        },
        () => handOn(arrival),
      );
      return false;
    }

    function findContent(arrival: Arrival): boolean {
      const { verdict, versions } = arrival.admission as Admission;
      if (verdict !== "admitted") return handOn(arrival);
      arrival.content = recall(arrival.wanted as Wanted, versions?.pets);
      if (arrival.content !== undefined) return true;
      perform(arrival, versions?.pets).then(
        (content) => {
          arrival.content = content;
          answerLater(arrival);
        },
        (fault) => fail(arrival, fault),
      );
      return false;
    }

    function findContents(arrivals: Arrival[]): void {
      answer(run(findContent, arrivals));
    }

    function answer(arrivals: Arrival[]): void {
      const sent = run(send, arrivals);
      const endMs = performance.now();
      run((arrival) => recordSent(arrival, endMs), sent);
    }

    function send(arrival: Arrival): boolean {
      const { request, response } = arrival;
      const content = arrival.content as Content | CreatedContent;
      // An idle connection keeps its last request in memory, but must not keep the page.
      arrival.content = undefined;
      arrival.requestId = requestIdOf(request);
      const headers = headersOf(arrival);
      if ("location" in content) {
        const { body, bytes, location } = content;
        writeHead(response, 201, `${headers}location: ${location}\r\n${CONTENT_TYPE}`, bytes);
        response.end(body);
        return true;
      }
      const isKnown = matchesEtag(request.headers["if-none-match"], content.etag);
      const lines = `${headers}${linkOf(content)}${isKnown ? "" : CONTENT_TYPE}etag: ${content.etag}\r\n`;
      writeHead(response, isKnown ? 304 : 200, lines, isKnown ? undefined : content.bytes);
      response.end(isKnown ? undefined : content.body);
      return true;
    }

    /** The header lines that do not depend on the content, in the order of the framework. */
    function headersOf(arrival: Arrival): string {
      const { request, requestId, admission } = arrival;
      const origin = allowedOrigin(request.headers.origin, corsOrigins);
      const cors = origin === undefined ? "" : `access-control-allow-origin: ${origin}\r\n${EXPOSED}`;
      const removal = routeOf(arrival).isDeprecated ? headerLines(deprecationHeaders()) : "";
      const rate = headerLines(rateHeaders(admission as Admission));
      return `${FIXED}x-request-id: ${requestId}\r\n${cors}${removal}${rate}`;
    }

    function recordSent(arrival: Arrival, endMs: number): boolean {
      const { request, requestId, key, startMs, response } = arrival;
      metrics.countDecision("key", "admitted");
      const { operation } = arrival.wanted as Wanted;
      const { statusCode: status } = response;
      const path = logsPaths ? pathWithQueryOf(request.url ?? "", routeOf(arrival).schema) : undefined;
      record({
        requestId,
        method: request.method as string,
        operation,
        key,
        path,
        status,
        ms: endMs - startMs,
      });
      return true;
    }

    return (arrivals) => findContents(run(admit, run(recognise, arrivals)));
  }

  function routeOf({ wanted }: Arrival): FastRoute {
    return routes[(wanted as Wanted).operation] as FastRoute;
  }

  /** Undefined for what is not cached. */
  function recall(wanted: Wanted, version: number | undefined): Content | undefined {
    if (wanted.operation === "listPets") return petPages.recall(wanted.page, version);
    return wanted.operation === "listListings" ? listingPages.recall(wanted.page, version) : undefined;
  }

  /** Rejects with `pet_not_found`, `invalid_cursor`, and the faults of a create. */
  function perform(
    { wanted, request, key }: Arrival,
    version: number | undefined,
  ): Promise<Content | CreatedContent> {
    if (wanted?.operation === "createPet") return create(request, key as ApiKey);
    return read(wanted as ReadWanted, version);
  }

  async function read(wanted: ReadWanted, version: number | undefined): Promise<Content> {
    switch (wanted.operation) {
      case "listPets":
        return petPages.read(wanted.page, version);
      case "listListings":
        return listingPages.read(wanted.page, version);
      case "getPet":
        return createContent(petJson(requirePet(await pets.find(wanted.petId))), undefined);
      case "getListing": {
        const listing = requirePet(await listings.find(wanted.petId));
        return createContent(
          listingJson(listing, { nowMs: clock.nowMs(), publicUrl: publicUrl() }),
          undefined,
        );
      }
    }
  }

  /** Hook for `onRoute`. */
  function readRoute({ schema, config }: RouteOptions): void {
    const { access = "admin", deprecated = false } = config ?? {};
    if (schema?.operationId !== undefined)
      routes[schema.operationId] = { access, isDeprecated: deprecated, schema };
  }

  return { serve, readRoute };
}

function linkOf({ link }: Content): string {
  return link === undefined ? "" : `link: ${link}\r\n`;
}
