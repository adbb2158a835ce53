// Visitors of web pages with a publishable key: each address has a budget, and the page must have an allowed origin.

import type { IncomingMessage } from "node:http";
import type { FastifyReply, onSendHookHandler } from "fastify";
import { createVisitorBudgets } from "../../domain/keys/address-budgets.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import { isFromAllowedOrigin } from "../../domain/keys/allowed-origins.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { isPublishable } from "../../domain/keys/key-secret.ts";
import { joinAdmissions } from "../../domain/keys/shown-limits.ts";
import { createAddressFinder } from "../headers/client-address.ts";
import { corsHeaders, FIXED_HEADERS } from "../headers/common-headers.ts";
import type { HttpServices } from "../services.ts";
import { bearerOf } from "./caller.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** The decision on the address of a visitor, which is charged once for a request. */
    visit?: Admission;
  }
}

/** The headers of successful responses, which caches may answer for a minute. */
export const CACHED_IN_QUERY = {
  "cache-control": "public, max-age=60, stale-while-revalidate=60",
  vary: `${FIXED_HEADERS.vary}, Accept-Encoding`,
};
export const CACHED_BEARER = { "cache-control": "private, max-age=60" };

export type Visitors = ReturnType<typeof createVisitors>;

/** Both functions expect a publishable key. */
export function createVisitors({ clock, trustProxy }: Pick<HttpServices, "clock" | "trustProxy">) {
  const budgets = createVisitorBudgets();
  const findAddress = createAddressFinder(trustProxy);

  /** Charges the address of the request unless that was done. */
  function charge(request: IncomingMessage, key: ApiKey): Admission {
    request.visit ??= budgets.admit(key, findAddress(request), clock.nowMs());
    return request.visit;
  }

  return {
    charge,
    /** Whether the gate may be asked. */
    isAdmitted(request: IncomingMessage, key: ApiKey): boolean {
      return charge(request, key).verdict === "admitted" && isFromAllowedOrigin(key, request.headers);
    },
  };
}

/** The decision on the key, with the limits that are lower. */
export function withVisit({ visit }: IncomingMessage, admission: Admission): Admission {
  return visit === undefined ? admission : joinAdmissions(visit, admission);
}

/** An allowed page may read every response, errors included, even where CORS_ORIGINS does not name its origin. */
export function allowOrigin(reply: FastifyReply, origin: string | undefined): void {
  if (origin !== undefined && !reply.hasHeader("access-control-allow-origin"))
    reply.headers(corsHeaders(origin));
}

/** `link` leads to other pages of a list. Following it needs the key again. */
export function keepKey(link: string, key: string): string {
  return link.replaceAll(">; rel=", `&key=${key}>; rel=`);
}

/** Hook: how caches keep the responses to publishable keys. */
export const setCacheHeaders: onSendHookHandler = (request, reply, _payload, done) => {
  const { keyInQuery } = request;
  if (request.route.config.keyless) return done();
  if (keyInQuery === undefined && !isPublishable(bearerOf(request))) return done();
  if (reply.statusCode >= 400) {
    reply.header("cache-control", "no-store");
    return done();
  }
  reply.headers(keyInQuery === undefined ? CACHED_BEARER : CACHED_IN_QUERY);
  const link = reply.getHeader("link");
  if (keyInQuery !== undefined && typeof link === "string") reply.header("link", keepKey(link, keyInQuery));
  done();
};
