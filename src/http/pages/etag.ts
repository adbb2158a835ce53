// ETags. Conditional reads: 304 where the client already has the response. Conditional changes: only of what the client has seen.

import { hash } from "node:crypto";
import type { FastifyRequest, onSendHookHandler, RouteOptions } from "fastify";
import type { Precondition } from "../../domain/basics/precondition.ts";

/** Linear: a tag begins and ends with a quote and has none inside. */
const ENTITY_TAGS = /(W\/)?("[^"]*")/g;

/**
 * Hook for `onRoute`: gives conditional reads to the routes with `config.etag`, and the new ETag to the responses of those with
 * `config.ifMatch`. On HEAD it replaces Fastify's own hook, which removes the body, as Node does anyway, and fails on a 304
 * without one.
 */
export function addEtags(route: RouteOptions): void {
  if (route.config?.etag === true) route.onSend = answerConditionally;
  if (route.config?.ifMatch === true) route.onSend = setEtag;
}

const answerConditionally: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (reply.statusCode !== 200) return done();
  const known = reply.getHeader("etag");
  // The links of a deprecated operation are not part of its content, and changes of the same thing do not send them.
  const link = request.route.config.deprecated ? undefined : reply.getHeader("link");
  const etag = typeof known === "string" ? known : etagOf(link, payload);
  reply.header("etag", etag);
  if (!matchesEtag(request.headers["if-none-match"], etag)) return done();
  reply.code(304);
  for (const name of ["content-length", "content-type", "content-encoding"]) reply.removeHeader(name);
  return done(null, null);
};

const setEtag: onSendHookHandler<unknown> = (_request, reply, payload, done) => {
  if (reply.statusCode === 200) reply.header("etag", etagOf(undefined, payload));
  done();
};

/** The links of a page are part of its ETag: they change when a next page appears. */
export function etagOf(link: unknown, body: unknown): string {
  return `"${hash("sha1", `${link ?? ""}\n${body}`, "base64url")}"`;
}

/** The weak comparison of RFC 9110. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAGS)].some(([, , opaque]) => opaque === etag);
}

/**
 * The condition that If-Match sets on the current state; undefined without the header. `textsOf` write the bodies of the GETs: an animal is read alone or as a listing. The strong comparison of RFC 9110: a weak tag matches nothing.
 */
export function preconditionOf<T>(
  { headers }: FastifyRequest,
  ...textsOf: Array<(current: T) => string>
): Precondition<T> | undefined {
  const ifMatch = headers["if-match"];
  if (ifMatch === undefined) return undefined;
  if (ifMatch.trim() === "*") return () => true;
  const expected = new Set<string | undefined>();
  for (const [, weak, opaque] of ifMatch.matchAll(ENTITY_TAGS)) if (weak === undefined) expected.add(opaque);
  return (current) => textsOf.some((textOf) => expected.has(etagOf(undefined, textOf(current))));
}
