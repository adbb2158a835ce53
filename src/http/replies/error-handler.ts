// Fastify's error handler: an Error body, or a page for browsers at an unknown address outside /v1.

import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { FIXED_HEADERS } from "../headers/common-headers.ts";
import { readQualities } from "../request/qualities.ts";
import { isApiPath } from "../request/request-form.ts";
import { createNotFoundPage } from "../static/not-found-page.ts";
import { answerError } from "./answer-error.ts";

const VARY = `${FIXED_HEADERS.vary}, Accept, Accept-Language`;

export function createErrorHandler(services: Parameters<typeof createNotFoundPage>[0]) {
  const sendPage = createNotFoundPage(services);
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const isMissing = error instanceof ServiceError && error.body.status === 404;
    if (!isMissing || isApiPath(request.url)) return answerError(error, request, reply);
    reply.header("vary", VARY);
    return prefersHtml(request.headers.accept)
      ? sendPage(request, reply)
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
