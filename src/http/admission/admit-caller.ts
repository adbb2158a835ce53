// Admits the caller of an operation: finds its key, asks the gate, and refuses with 401, 403, 429 or 503.

import type { FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, ServiceError } from "../../domain/basics/errors.ts";
import type { Admission, Verdict } from "../../domain/keys/admission.ts";
import { isFromAllowedOrigin } from "../../domain/keys/allowed-origins.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { retryAfterSeconds } from "../../domain/keys/retry-after.ts";
import { addressOf } from "../headers/client-address.ts";
import { rateHeaders } from "../headers/common-headers.ts";
import type { HttpServices } from "../services.ts";
import { createBanRecorder } from "./ban-recorder.ts";
import { CHALLENGE, tokenOf } from "./caller.ts";
import { createLookUps } from "./key-lookup-limiter.ts";
import type { RecordKeyUse } from "./key-use.ts";
import { allowOrigin, type Visitors, withVisit } from "./visitors.ts";

/**
 * One look-up is enough unless the key changes between look-up and admission. If that happens this often, the gate and the
 * database disagree about the key's version; further look-ups would only load the database.
 */
const LOOK_UPS_MAX = 5;

const REFUSALS = {
  minute: "rate_limit_exceeded",
  day: "daily_limit_exceeded",
  banned: "key_banned",
} as const satisfies Record<Exclude<Verdict, "admitted" | "stale">, ErrorCode>;

export interface AdmissionServices
  extends Pick<HttpServices, "keyRing" | "gate" | "metrics" | "clock" | "audit"> {
  recordKeyUse: RecordKeyUse;
  visitors: Visitors;
}

/**
 * The returned function sets `request.apiKey` and the rate headers, or fails with 401, 403, 429 or 503. It returns a promise only
 * where it has to wait: for a key that is not cached, or a gate outside this process.
 */
export function createCallerAdmission(services: AdmissionServices) {
  const { keyRing } = services;
  const decision = createDecision(services);
  const admitLookedUp = createLookedUpAdmission(services, decision);
  const admitCached = createCachedAdmission(services, decision, admitLookedUp);

  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const token = tokenOf(request);
    if (token === undefined) {
      chargeAnonymous(services, request, reply);
      throw new ServiceError("invalid_parameter", {
        message: "key may be given only once, and not beside Authorization: Bearer",
      });
    }
    const key = request.raw.pending?.key ?? keyRing.recall(token);
    return key === undefined
      ? admitLookedUp(request, reply, token)
      : admitCached({ request, reply, key, token });
  };
}

type Decision = ReturnType<typeof createDecision>;

function createDecision({ gate, metrics, audit, clock }: AdmissionServices) {
  const recordBan = createBanRecorder(audit, clock);
  return {
    ask(request: FastifyRequest, key: ApiKey): Admission | Promise<Admission> {
      return request.route.config.charged === false ? gate.peek(key) : gate.admit(key);
    },
    /** Throws 429 for a request that was not admitted. */
    apply(request: FastifyRequest, reply: FastifyReply, decided: Admission): void {
      const admission = withVisit(request.raw, decided);
      showRate(request, reply, admission);
      if (request.route.config.charged === false) return;
      metrics.countDecision("key", admission.verdict);
      recordBan(request.apiKey as ApiKey, admission)?.catch((err) =>
        request.log.warn({ err }, "a ban was not recorded in the audit log"),
      );
      refuse(admission);
    },
  };
}

type AdmitLookedUp = ReturnType<typeof createLookedUpAdmission>;

function createLookedUpAdmission(services: AdmissionServices, { ask, apply }: Decision) {
  const { keyRing } = services;
  const lookUpKey = createKeyLookUp(services);
  return async (request: FastifyRequest, reply: FastifyReply, token: string): Promise<void> => {
    for (let lookUps = 0; lookUps < LOOK_UPS_MAX; lookUps += 1) {
      const key = await lookUpKey(request, reply, token);
      const admission = await ask(request, key);
      if (admission.verdict !== "stale") return apply(request, reply, admission);
      // The key has changed since it was read; nothing was charged yet.
      keyRing.renew(key, admission.versions?.key ?? 0);
    }
    throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
  };
}

interface CachedCall {
  request: FastifyRequest;
  reply: FastifyReply;
  key: ApiKey;
  token: string;
}

function createCachedAdmission(
  services: AdmissionServices,
  { ask, apply }: Decision,
  admitLookedUp: AdmitLookedUp,
) {
  const { gate, keyRing, visitors } = services;

  /** The gate is not asked for a refused visitor, but knows whether another node has changed the origins or the plan. */
  async function refuseVisitor({ request, reply, key, token }: CachedCall): Promise<void> {
    const { verdict, versions } = await gate.peek(key);
    if (verdict !== "stale") return acceptCaller(services, request, reply, key);
    keyRing.renew(key, versions?.key ?? 0);
    return admitLookedUp(request, reply, token);
  }

  return (call: CachedCall): Promise<void> | undefined => {
    const { request, reply, key, token } = call;
    if (key.kind === "publishable" && !visitors.isAdmitted(request.raw, key)) return refuseVisitor(call);
    acceptCaller(services, request, reply, key);
    // The fast path may have asked the gate before it passed the request to Fastify.
    const { admission = ask(request, key), fault } = request.raw.pending ?? {};
    const finish = (decided: Admission): Promise<void> | undefined => {
      if (decided.verdict === "stale") {
        keyRing.renew(key, decided.versions?.key ?? 0);
        return admitLookedUp(request, reply, token);
      }
      apply(request, reply, decided);
      if (fault !== undefined) throw fault;
      return undefined;
    };
    return admission instanceof Promise ? admission.then(finish) : finish(admission);
  };
}

/** The returned function throws 401, or 429 where the look-up was refused or the address has used up its budget. */
function createKeyLookUp(services: AdmissionServices) {
  const { gate, keyRing, clock } = services;
  const openLookUp = createLookUps(gate, clock);

  return async (request: FastifyRequest, reply: FastifyReply, token: string): Promise<ApiKey> => {
    const lookUp = openLookUp(addressOf(request));
    const fail = (error: unknown) => {
      lookUp.close(error);
      throw error;
    };
    // A request without a key is charged at once: the next request of its packet sees the charge.
    const key = token === "" ? undefined : await keyRing.verify(token, lookUp.allow).catch(fail);
    if (key === undefined) {
      try {
        chargeAnonymous(services, request, reply, lookUp.refusal());
      } finally {
        lookUp.close();
      }
      reply.header("www-authenticate", token === "" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`);
      throw new ServiceError(token === "" ? "missing_api_key" : "invalid_api_key");
    }
    lookUp.close();
    acceptCaller(services, request, reply, key);
    return key;
  };
}

/** Throws 429 for an address that has used up its budget. */
function chargeAnonymous(
  { gate, metrics }: AdmissionServices,
  request: FastifyRequest,
  reply: FastifyReply,
  anonymous = gate.admitAnonymous(addressOf(request)),
): void {
  metrics.countDecision("stranger", anonymous.verdict);
  showRate(request, reply, anonymous);
  refuse(anonymous);
}

/** Throws 429 for a visitor whose address has used up its budget, and 403 for a page of another origin. */
function acceptCaller(
  { recordKeyUse, visitors, metrics }: AdmissionServices,
  request: FastifyRequest,
  reply: FastifyReply,
  key: ApiKey,
): void {
  request.apiKey = key;
  recordKeyUse(key, request.log, request.route.config.deprecated);
  if (key.kind !== "publishable") return;
  const visit = visitors.charge(request.raw, key);
  const isAllowed = isFromAllowedOrigin(key, request.headers);
  if (isAllowed) allowOrigin(reply, request.headers.origin);
  showRate(request, reply, visit);
  if (visit.verdict !== "admitted") metrics.countDecision("stranger", visit.verdict);
  refuse(visit);
  if (!isAllowed) throw new ServiceError("origin_not_allowed");
}

export function showRate(request: FastifyRequest, reply: FastifyReply, admission: Admission): void {
  request.admission = admission;
  reply.headers(rateHeaders(admission));
}

/** Throws 429 for a request that was not admitted. */
export function refuse(admission: Admission): void {
  if (admission.verdict === "admitted" || admission.verdict === "stale") return;
  throw new ServiceError(REFUSALS[admission.verdict], { retryAfterSeconds: retryAfterSeconds(admission) });
}
