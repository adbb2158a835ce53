// Conditional reads: an ETag for what was sent, 304 for what the client already has.

import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** For answers of routes with `config.etag`; the page's links are part of what is compared. */
export function answerConditionally(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode !== 200 || request.route.config.etag !== true) return payload;
  const known = reply.getHeader("etag");
  const etag = typeof known === "string" ? known : etagOf(reply.getHeader("link"), payload);
  reply.header("etag", etag);
  if (!matchesEtag(request.headers["if-none-match"], etag)) return payload;
  reply.code(304).removeHeader("content-length").removeHeader("content-type");
  return null;
}

/** Of a body and the links that go with it. */
export function etagOf(link: unknown, body: unknown): string {
  return `"${hash("sha1", `${link ?? ""}\n${body}`, "base64url")}"`;
}

/** The weak comparison of RFC 9110. */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, opaque]) => opaque === etag);
}
