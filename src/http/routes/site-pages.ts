// The public pages, feeds and style sheets, outside /v1 and without a key.

import { performance } from "node:perf_hooks";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import { createFairQueue } from "../../tools/fair-queue.ts";
import { addressOf } from "../headers/client-address.ts";
import { logError } from "../replies/answer-error.ts";
import type { PublicPages, PublicState, WantedPage } from "../services.ts";
import type { RenderedPages } from "../static/rendered-pages.ts";
import { SITE_FAULT_HEADERS, SITE_PAGE_HEADERS } from "../static/site-headers.ts";
import {
  createCompressedDocument,
  createDocument,
  type Document,
  FOREVER,
  sendDocument,
  TEXT_TYPES,
} from "../static/static-document.ts";

/** A page in a cache may name the style sheet of another release. */
const OLD_STYLE = "public, max-age=60";

/** Style sheets that are kept with their compressed forms. An address may ask for any accent. */
const STYLES_MAX = 20;
/** Longer rests would keep visitors waiting after a slow search. */
const REST_MAX_MS = 100;
/**
 * A node runs this many searches at a time, one of each address; an address may have this many waiting. On SQLite a search blocks
 * the event loop. Two slots that work a third of the time each leave the rest of it to the API, however many visitors search.
 */
const SEARCHES = {
  atOnce: 2,
  waitingMax: 10,
  restMs: (workMs: number) => Math.min(2 * workMs, REST_MAX_MS),
};
const SEARCH_WAIT_MS = 5_000;
/** The only page of a closed site. */
const ALWAYS_OPEN = "/robots.txt";
/** The address of a page with a slash at its end. Linear: one class of characters. */
const WITH_SLASH = /^\/(animals|(?:animals|shelters)\/[^/?]+)\/(?=$|\?)/;

interface Services {
  publicUrl: () => string;
  sitePages: PublicPages;
  renderedPages: RenderedPages;
  chargePage: onRequestHookHandler;
  chargeFile: onRequestHookHandler;
}

export const sitePageRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { publicUrl, sitePages, renderedPages, chargePage, chargeFile } = services;
  const findPage = createPageFinder(renderedPages);
  const styles = createBoundedMap<string, Document>(STYLES_MAX);

  await app.register(async (pages) => {
    pages.addHook("onRequest", chargePage);
    pages.setErrorHandler((error, request, reply) => {
      const fault = sitePages.renderFault(error);
      // The site may be closed: the ordinary page or Error body answers.
      if (fault === undefined) throw error;
      if (error instanceof ServiceError) {
        const { retryAfterSeconds } = logError(error, request);
        if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
      }
      return sendDocument(
        reply.code(fault.status),
        createDocument(fault.type, fault.body),
        SITE_FAULT_HEADERS,
      );
    });
    for (const [path, readPage] of Object.entries(sitePages.pages))
      pages.get<{ Params: { id?: string } }>(path, { config: { etag: true } }, async (request, reply) => {
        const found = sitePages.state();
        const state = found instanceof Promise ? await found : found;
        if (!state.site.isPublic && path !== ALWAYS_OPEN) throw new ServiceError("route_not_found");
        const address = withoutSlash(request.url);
        if (address !== undefined)
          return reply.headers(SITE_PAGE_HEADERS).redirect(addressUnder(publicUrl(), address), 308);
        const wanted = readPage(request.params.id ?? "", queryOf(request));
        return findPage(request, reply, state, { route: path, ...wanted });
      });
  });

  await app.register(async (files) => {
    files.addHook("onRequest", chargeFile);
    files.get<{ Params: { name: string } }>(
      "/site/:name",
      { config: { etag: true } },
      async ({ params }, reply) => {
        const style = sitePages.findStyle(params.name);
        if (style === undefined) throw new ServiceError("route_not_found");
        reply.header("cache-control", style.isCurrent ? FOREVER : OLD_STYLE);
        const document =
          styles.get(style.text) ?? (await createCompressedDocument(TEXT_TYPES.css, style.text));
        // Also one that is known: those used last stay.
        styles.set(style.text, document);
        return sendDocument(reply, document);
      },
    );
  });
};

/** `route` is the path of its route. */
type Wanted = WantedPage & { route: string };

/** Sends a page from the cache, or renders it. */
function createPageFinder(cache: RenderedPages) {
  const runSearch = createFairQueue(SEARCHES, { onFull: busy, onTimeout: busy });
  /** Plain pages that are being rendered: all requests of a moment share one. */
  const rendering = new Map<string, { state: PublicState; page: Promise<Rendered> }>();

  async function render(state: PublicState, { route, key, render: renderPage }: Wanted): Promise<Rendered> {
    const { status, type, body } = await renderPage(state);
    if (status !== 200) return { status, document: createDocument(type, body) };
    const document = await createCompressedDocument(type, body);
    cache.keep(state, key, { route, document });
    return { status, document };
  }

  function renderOnce(state: PublicState, wanted: Wanted): Promise<Rendered> {
    const other = rendering.get(wanted.key);
    if (other?.state === state) return other.page;
    const mine = { state, page: render(state, wanted) };
    rendering.set(wanted.key, mine);
    const forget = () => {
      if (rendering.get(wanted.key) === mine) rendering.delete(wanted.key);
    };
    mine.page.then(forget, forget);
    return mine.page;
  }

  return async (request: FastifyRequest, reply: FastifyReply, state: PublicState, wanted: Wanted) => {
    const cached = cache.recall(state, wanted.key);
    if (cached !== undefined) return sendDocument(reply, cached.document, SITE_PAGE_HEADERS);
    const endMs = performance.now() + SEARCH_WAIT_MS;
    const { status, document } = wanted.isSearch
      ? await runSearch(addressOf(request), endMs, () => render(state, wanted))
      : await renderOnce(state, wanted);
    return sendDocument(
      reply.code(status),
      document,
      status === 200 ? SITE_PAGE_HEADERS : SITE_FAULT_HEADERS,
    );
  };
}

interface Rendered {
  status: number;
  document: Document;
}

function busy(): ServiceError {
  return new ServiceError("unavailable", { retryAfterSeconds: 1 });
}

/** The address of the same page as links have it, after the path of PUBLIC_URL. Undefined if it has no slash at its end. */
function withoutSlash(url: string): string | undefined {
  return WITH_SLASH.test(url) ? url.replace(WITH_SLASH, "$1") : undefined;
}

/** Without a host: visitors may know the service by another one. */
function addressUnder(publicUrl: string, address: string): string {
  return new URL(publicUrl).pathname.replace(/\/?$/, "/") + address;
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}
