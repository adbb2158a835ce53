// Who is asking, and may they go on? Runs before anything else of a /v1 request is looked at.

import type { FastifyReply, FastifyRequest } from "fastify";
import { type Access, includesAccess } from "../domain/access.ts";
import type { ApiKey } from "../domain/api-key.ts";
import { type ErrorCode, ServiceError } from "../domain/errors.ts";
import { type Admission, retryAfterSeconds, type Verdict } from "../domain/limits.ts";
import { addressOf } from "./client-address.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { HttpServices } from "./services.ts";

const BEARER = /^bearer(?: +(.*))?$/i;
const CHALLENGE = 'Bearer realm="animal-store"';

const REFUSALS = {
  minute: "rate_limit_exceeded",
  day: "daily_limit_exceeded",
  banned: "key_banned",
} as const satisfies Record<Exclude<Verdict, "admitted" | "stale">, ErrorCode>;

type Services = Pick<HttpServices, "keyRing" | "gate" | "metrics">;

/** Sets `request.apiKey` and the rate headers, or throws 401 or 429. */
export function admitCaller(services: Services) {
  const { gate, metrics, keyRing } = services;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const countStranger = () => {
      const admission = gate.admitStranger(addressOf(request));
      metrics.countDecision("stranger", admission.verdict);
      showRate(request, reply, admission);
      return admission;
    };
    const isCharged = request.routeOptions.config.charged !== false;
    const ask = isCharged ? gate.admit : gate.peek;
    let key = await verifyCaller(services, request, reply, countStranger);
    let admission = await ask(key);
    while (admission.verdict === "stale") {
      // The key has changed since it was read; nothing was charged yet.
      keyRing.renew(key, admission.versions?.key ?? 0);
      key = await verifyCaller(services, request, reply, countStranger);
      admission = await ask(key);
    }
    showRate(request, reply, admission);
    if (!isCharged) return;
    metrics.countDecision("key", admission.verdict);
    refuse(admission);
  };
}

/** Throws 401, or 429 when `countStranger` says that this address has asked too often. */
export async function verifyCaller(
  { keyRing }: Pick<Services, "keyRing">,
  request: FastifyRequest,
  reply: FastifyReply,
  countStranger: () => Admission,
): Promise<ApiKey> {
  const token = bearerOf(request);
  const key = token === "" ? undefined : await keyRing.verify(token);
  if (key === undefined) {
    refuse(countStranger());
    reply.header("www-authenticate", token === "" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`);
    throw new ServiceError(token === "" ? "missing_api_key" : "invalid_api_key");
  }
  request.apiKey = key;
  keyRing.noteUse(key).catch((err) => request.log.warn({ err }, "the last use of a key was not stored"));
  return key;
}

/** What stands behind "Bearer"; empty where there is nothing. */
export function bearerOf({ headers }: FastifyRequest): string {
  const [, token = ""] = BEARER.exec(headers.authorization ?? "") ?? [];
  return token.trim();
}

export function requireAccess(key: ApiKey, needed: Access, reply: FastifyReply): void {
  if (includesAccess(key.access, needed)) return;
  reply.header("www-authenticate", `${CHALLENGE}, error="insufficient_scope", scope="${needed}"`);
  throw new ServiceError("insufficient_access", {
    message: `The API key has access "${key.access}"; this operation needs "${needed}".`,
  });
}

function showRate(request: FastifyRequest, reply: FastifyReply, admission: Admission): void {
  request.admission = admission;
  reply.headers(rateHeaders(admission));
}

function refuse(admission: Admission): void {
  if (admission.verdict === "admitted" || admission.verdict === "stale") return;
  throw new ServiceError(REFUSALS[admission.verdict], { retryAfterSeconds: retryAfterSeconds(admission) });
}
