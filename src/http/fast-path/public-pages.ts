// Public pages from the cache, without the framework: visitors and crawlers mostly ask for these.

import type { Clock } from "../../domain/basics/clock.ts";
import type { AddressBudgets } from "../../domain/keys/address-budgets.ts";
import { createAddressFinder } from "../headers/client-address.ts";
import {
  allowedOrigin,
  corsHeaders,
  FIXED_HEADERS,
  rateHeaders,
  requestIdOf,
} from "../headers/common-headers.ts";
import { headerLines, writeHead } from "../headers/write-head.ts";
import { pathWithQueryOf } from "../observe/logged-path.ts";
import type { RecordAnswer } from "../observe/request-log.ts";
import { matchesEtag } from "../pages/etag.ts";
import type { PendingRequest } from "../server/pending-requests.ts";
import { isPipelineEnding } from "../server/pipelines.ts";
import type { HttpServices } from "../services.ts";
import type { RenderedPage, RenderedPages } from "../static/rendered-pages.ts";
import { SITE_PAGE_HEADERS } from "../static/site-headers.ts";
import { chooseForm, VARY_CODING } from "../static/static-document.ts";

/** Cached pages have compressed forms. */
const FIXED = headerLines({ ...FIXED_HEADERS, ...SITE_PAGE_HEADERS, vary: VARY_CODING });

export type PublicPageServices = Pick<
  HttpServices,
  "corsOrigins" | "isStopping" | "logsPaths" | "metrics" | "sitePages" | "trustProxy"
> & { clock: Clock };

export interface PublicPageParts {
  renderedPages: RenderedPages;
  pageBudgets: AddressBudgets;
  record: RecordAnswer;
}

/** Serves a request for a cached page with the same bytes as the framework. Returns false for every other request. */
export function createPublicPageServer(services: PublicPageServices, parts: PublicPageParts) {
  const { corsOrigins, isStopping, logsPaths, metrics, sitePages, clock } = services;
  const { renderedPages, pageBudgets, record } = parts;
  const findAddress = createAddressFinder(services.trustProxy);

  function find({ request, formFault, pipeline }: PendingRequest): RenderedPage | undefined {
    const { method, url = "" } = request;
    const isPage = method === "GET" && (url.startsWith("/animals") || url.startsWith("/shelters/"));
    if (!isPage || formFault || isStopping() || isPipelineEnding(pipeline)) return undefined;
    const state = sitePages.freshState();
    // Only in the form that links have; Fastify reads the others.
    return state?.site.isPublic ? renderedPages.recall(state, url) : undefined;
  }

  return (pending: PendingRequest): boolean => {
    const page = find(pending);
    if (page === undefined) return false;
    const { request, response, startMs } = pending;
    const address = findAddress(request);
    const admission = pageBudgets.admit(address, clock.nowMs());
    pending.admission = admission;
    if (admission.verdict !== "admitted") return false;
    metrics.countDecision("stranger", admission.verdict);
    const { origin, "accept-encoding": accepted, "if-none-match": known } = request.headers;
    const requestId = requestIdOf(request);
    const { bytes, coding, etag } = chooseForm(page.document, accepted);
    const isKnown = matchesEtag(known, etag);
    const allowed = allowedOrigin(origin, corsOrigins);
    const cors = allowed === undefined ? "" : headerLines(corsHeaders(allowed));
    const encoding = coding === undefined ? "" : `content-encoding: ${coding}\r\n`;
    const own = isKnown ? "" : `${encoding}content-type: ${page.document.type}\r\n`;
    const rate = headerLines(rateHeaders(admission));
    const lines = `${FIXED}x-request-id: ${requestId}\r\n${cors}${rate}etag: ${etag}\r\n${own}`;
    writeHead(response, isKnown ? 304 : 200, lines, isKnown ? undefined : bytes.length);
    response.end(isKnown ? undefined : bytes);
    record({
      requestId,
      method: "GET",
      operation: page.route,
      address,
      path: logsPaths ? pathWithQueryOf(request.url ?? "", undefined) : undefined,
      status: response.statusCode,
      ms: performance.now() - startMs,
    });
    return true;
  };
}
