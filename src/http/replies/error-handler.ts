// Fastify's error handler: an Error body, or a page for browsers at an unknown address outside /v1.

import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { FIXED_HEADERS } from "../headers/common-headers.ts";
import { readQualities } from "../request/qualities.ts";
import { isApiPath } from "../request/request-form.ts";
import type { HttpServices } from "../services.ts";
import { createNotFoundPage } from "../static/not-found-page.ts";
import { SITE_FAULT_HEADERS } from "../static/site-headers.ts";
import { createDocument, sendDocument } from "../static/static-document.ts";
import { answerError } from "./answer-error.ts";

const VARY = `${FIXED_HEADERS.vary}, Accept, Accept-Language`;
/** Readers of the reference are no visitors of the public pages. */
const REFERENCE = /^\/docs\b/;

type Services = Parameters<typeof createNotFoundPage>[0] & Pick<HttpServices, "sitePages">;

export function createErrorHandler(services: Services) {
  const sendPage = createNotFoundPage(services);

  /** While the public pages are open, an unknown address has their look and leads to them, not to the console. */
  async function sendMissing(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // A store that does not answer: the other page needs none.
    const page = await services.sitePages.renderMissing().catch(() => undefined);
    if (page === undefined || REFERENCE.test(request.url)) return sendPage(request, reply);
    return sendDocument(reply.code(page.status), createDocument(page.type, page.body), SITE_FAULT_HEADERS);
  }

  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const isMissing = error instanceof ServiceError && error.body.status === 404;
    if (!isMissing || isApiPath(request.url)) return answerError(error, request, reply);
    reply.header("vary", VARY);
    return prefersHtml(request.headers.accept)
      ? sendMissing(request, reply)
      : answerError(error, request, reply);
  };
}

/** False where HTML and JSON are equally acceptable: only browsers ask for HTML. */
function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  const qualityOf = (kind: string, type: string) =>
    qualities.get(`${kind}/${type}`) ?? qualities.get(`${kind}/*`) ?? qualities.get("*/*") ?? 0;
  return qualityOf("text", "html") > qualityOf("application", "json");
}
