// Conditional reads: an ETag for what was sent, 304 for what the client already has.

import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** For answers of routes with `config.etag`; the page's links are part of what is compared. */
export async function answerConditionally(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (reply.statusCode !== 200 || request.routeOptions.config.etag !== true) return payload;
  const etag = etagOf(`${reply.getHeader("link") ?? ""}\n${payload}`);
  reply.header("etag", etag);
  if (!matchesEtag(request.headers["if-none-match"], etag)) return payload;
  reply.code(304).removeHeader("content-length");
  return "";
}

function etagOf(text: string): string {
  return `"${createHash("sha1").update(text).digest("base64url")}"`;
}

/** The weak comparison of RFC 9110. */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, opaque]) => opaque === etag);
}
