// Answers CORS preflights, also for the pages of publishable keys where CORS_ORIGINS names other origins.

import type { onRequestHookHandler } from "fastify";
import { corsHeaders, PREFLIGHT_HEADERS } from "../headers/common-headers.ts";
import type { HttpServices } from "../services.ts";

type Services = Pick<HttpServices, "clock" | "keyRing">;

/** Keys change within a second on every node, and a flood of preflights costs two queries a second. */
const MAX_AGE_MS = 500;

/** Hook: OPTIONS is answered for every path, without a key. */
export function answerPreflight(services: Services): onRequestHookHandler {
  const isAllowedBySomeKey = createOrigins(services);
  return (request, reply, done) => {
    if (request.method !== "OPTIONS") return done();
    const { origin } = request.headers;
    const answer = () => reply.code(204).headers(PREFLIGHT_HEADERS).send();
    if (origin === undefined || reply.hasHeader("access-control-allow-origin")) return void answer();
    isAllowedBySomeKey(origin)
      .then((isAllowed) => {
        if (isAllowed) reply.headers(corsHeaders(origin));
        answer();
      })
      .catch(done);
  };
}

/** The origins that publishable keys allow. The store bounds their number. */
function createOrigins({ clock, keyRing }: Services): (origin: string) => Promise<boolean> {
  let read: { atMs: number; origins: Promise<Set<string>> } | undefined;
  return async (origin) => {
    const nowMs = clock.monotonicMs();
    if (read === undefined || nowMs - read.atMs >= MAX_AGE_MS) {
      const origins = keyRing.listAllowedOrigins().then((all) => new Set(all));
      read = { atMs: nowMs, origins };
    }
    return (await read.origins).has(origin);
  };
}
