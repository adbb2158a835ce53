// Who is asking, and may they go on? Runs before anything else of a /v1 request is looked at.

import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, ServiceError } from "../../domain/errors.ts";
import { type Access, includesAccess } from "../../domain/keys/access.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { KeyRing } from "../../domain/keys/key-ring.ts";
import { type Admission, retryAfterSeconds, type Verdict } from "../../domain/keys/limits.ts";
import { createLookUps, type LookUp } from "../../domain/keys/look-ups.ts";
import { decidedBefore } from "../list-pets/decided.ts";
import { rateHeaders } from "../response/rate-headers.ts";
import type { HttpServices } from "../services.ts";
import { addressOf } from "./client-address.ts";

/** Node has removed spaces and tabs at the end of the header. A no-break space is part of the key. */
const BEARER = /^bearer(?: [ \t]*(.*))?$/is;
const CHALLENGE = 'Bearer realm="animal-store"';

const REFUSALS = {
  minute: "rate_limit_exceeded",
  day: "daily_limit_exceeded",
  banned: "key_banned",
} as const satisfies Record<Exclude<Verdict, "admitted" | "stale">, ErrorCode>;

type Services = Pick<HttpServices, "keyRing" | "gate" | "metrics" | "clock">;

/**
 * Sets `request.apiKey` and the rate headers, or throws 401 or 429. Gives a promise only where something has to be waited
 * for: a key that is not in memory, a gate that is not in the process.
 */
export function admitCaller(services: Services) {
  const { gate, metrics, keyRing, clock } = services;
  const openLookUp = createLookUps(gate, clock);

  function settle(request: FastifyRequest, reply: FastifyReply, admission: Admission): void {
    showRate(request, reply, admission);
    if (request.route.config.charged === false) return;
    metrics.countDecision("key", admission.verdict);
    refuse(admission);
  }

  async function wait(
    request: FastifyRequest,
    reply: FastifyReply,
    ask: (key: ApiKey) => Admission | Promise<Admission>,
    asked: { key: ApiKey; admission: Admission | Promise<Admission> } | undefined,
  ): Promise<void> {
    const countAnonymous = (refusal: Admission | undefined) => {
      const admission = refusal ?? gate.admitAnonymous(addressOf(request));
      metrics.countDecision("stranger", admission.verdict);
      showRate(request, reply, admission);
      return admission;
    };
    const verify = () =>
      verifyCaller(keyRing, request, reply, { countAnonymous, lookUp: openLookUp(addressOf(request)) });
    let key = asked?.key ?? (await verify());
    let admission = await (asked?.admission ?? ask(key));
    while (admission.verdict === "stale") {
      // The key has changed since it was read; nothing was charged yet.
      keyRing.renew(key, admission.versions?.key ?? 0);
      key = await verify();
      admission = await ask(key);
    }
    settle(request, reply, admission);
  }

  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const decided = decidedBefore.get(request.raw);
    const key = decided?.key ?? keyRing.recall(bearerOf(request));
    const ask = request.route.config.charged === false ? gate.peek : gate.admit;
    if (key === undefined) return wait(request, reply, ask, undefined);
    acceptCaller(keyRing, request, key);
    const admission = decided?.admission ?? ask(key);
    if (admission instanceof Promise || admission.verdict === "stale")
      return wait(request, reply, ask, { key, admission });
    settle(request, reply, admission);
    if (decided?.fault !== undefined) throw decided.fault;
    return undefined;
  };
}

/** Throws 401, or 429 when the look-up was refused or `countAnonymous` says that this address has asked too often. */
async function verifyCaller(
  keyRing: KeyRing,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    countAnonymous,
    lookUp,
  }: { countAnonymous: (refusal: Admission | undefined) => Admission; lookUp: LookUp },
): Promise<ApiKey> {
  const token = bearerOf(request);
  const key = token === "" ? undefined : await verifySecret(keyRing, token, lookUp);
  if (key === undefined) {
    const stranger = countAnonymous(lookUp.refusal());
    lookUp.close();
    refuse(stranger);
    reply.header("www-authenticate", token === "" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`);
    throw new ServiceError(token === "" ? "missing_api_key" : "invalid_api_key");
  }
  lookUp.close();
  acceptCaller(keyRing, request, key);
  return key;
}

async function verifySecret(keyRing: KeyRing, secret: string, lookUp: LookUp): Promise<ApiKey | undefined> {
  try {
    return await keyRing.verify(secret, lookUp.allow);
  } catch (error) {
    lookUp.close(error);
    throw error;
  }
}

function acceptCaller(keyRing: KeyRing, request: FastifyRequest, key: ApiKey): void {
  request.apiKey = key;
  recordKeyUse(keyRing, key, request.log);
  if (request.route.config.deprecated) warnOfFailure(keyRing.recordDeprecatedUse(key), request.log);
}

export function recordKeyUse(keyRing: KeyRing, key: ApiKey, log: Pick<FastifyBaseLogger, "warn">): void {
  warnOfFailure(keyRing.recordKeyUse(key), log);
}

function warnOfFailure(noted: Promise<void> | undefined, log: Pick<FastifyBaseLogger, "warn">): void {
  noted?.catch((err) => log.warn({ err }, "the last use of a key was not stored"));
}

/** What stands behind "Bearer"; empty where there is nothing. */
export function bearerOf({ headers }: FastifyRequest): string {
  const [, token = ""] = BEARER.exec(headers.authorization ?? "") ?? [];
  return token;
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
