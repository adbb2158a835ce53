// Conditional reads: an ETag with each response, 304 where the client already has that response.

import { hash } from "node:crypto";
import type { onSendHookHandler, RouteOptions } from "fastify";

/**
 * Hook for `onRoute`: gives conditional reads to the routes with `config.etag`. On HEAD it replaces Fastify's own hook, which
 * removes the body, as Node does anyway, and fails on a 304 without one.
 */
export function addConditionalReads(route: RouteOptions): void {
  if (route.config?.etag === true) route.onSend = answerConditionally;
}

const answerConditionally: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (reply.statusCode !== 200) return done();
  const known = reply.getHeader("etag");
  const etag = typeof known === "string" ? known : etagOf(reply.getHeader("link"), payload);
  reply.header("etag", etag);
  if (!matchesEtag(request.headers["if-none-match"], etag)) return done();
  reply.code(304).removeHeader("content-length").removeHeader("content-type");
  return done(null, null);
};

/** The links of a page are part of its ETag: they change when a next page appears. */
export function etagOf(link: unknown, body: unknown): string {
  return `"${hash("sha1", `${link ?? ""}\n${body}`, "base64url")}"`;
}

/** The weak comparison of RFC 9110. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, opaque]) => opaque === etag);
}
