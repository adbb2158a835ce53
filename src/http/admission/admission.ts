// The checks of a request before its body is read: key, limits, route (404, 405), access, removal.

import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
} from "fastify";
import { isGetPetRemoved } from "../../domain/basics/deprecation.ts";
import { type ErrorCode, ServiceError } from "../../domain/basics/errors.ts";
import { createAddressBudgets } from "../../domain/keys/address-budgets.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { KeyRing } from "../../domain/keys/key-ring.ts";
import { type Admission, retryAfterSeconds, type Verdict } from "../../domain/keys/limits.ts";
import { type Access, includesAccess } from "../../domain/keys/plan.ts";
import { addressOf } from "../headers/client-address.ts";
import { endConnection, rateHeaders } from "../headers/common-headers.ts";
import { deprecationHeaders } from "../headers/deprecation-headers.ts";
import { isApiPath } from "../request/request-form.ts";
import type { HttpServices } from "../services.ts";
import { createBanRecorder } from "./ban-recorder.ts";
import { createLookUps } from "./key-lookup-limiter.ts";

/** Node has removed spaces and tabs at the end of the header. A no-break space is part of the key. */
const BEARER = /^bearer(?: [ \t]*(.*))?$/is;
const USE_NOT_STORED = "the last use of a key was not stored";
const CHALLENGE = 'Bearer realm="animal-store"';

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

type Services = Pick<HttpServices, "keyRing" | "gate" | "metrics" | "clock" | "audit">;

/** Must be called before the routes are registered: it collects their paths in an `onRoute` hook. */
export function createAdmission(
  app: FastifyInstance,
  services: Services & Pick<HttpServices, "publicUrl" | "getPetDeprecatedMs">,
) {
  const admitCaller = createCallerAdmission(services);
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  app.addHook("onRoute", ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });

  function throwUnknown({ url }: FastifyRequest, reply: FastifyReply): never {
    const path = decodeURI(url.replace(/\?.*$/s, ""));
    const known = [...paths.values()].find(({ pattern }) => pattern.test(path));
    if (known === undefined) throw new ServiceError("route_not_found");
    reply.header("allow", [...known.methods].sort().join(", "));
    throw new ServiceError("method_not_allowed");
  }

  function checkOperation(request: FastifyRequest, reply: FastifyReply): void {
    if (request.is404) throwUnknown(request, reply);
    const { access = "admin", deprecated } = request.route.config;
    requireAccess(request.apiKey as ApiKey, access, reply);
    if (deprecated && isGetPetRemoved(services.clock.nowMs())) throw new ServiceError("operation_removed");
  }

  /** Hook for operations: key and limits first, so that an unknown path is charged too. */
  const admit: onRequestHookHandler = (request, reply, done) => {
    if (request.route.config.deprecated) reply.headers(deprecationHeaders(services));
    const waiting = admitCaller(request, reply);
    if (waiting === undefined) {
      checkOperation(request, reply);
      done();
    } else waiting.then(() => checkOperation(request, reply)).then(() => done(), done);
  };

  /** Hook: refuses unknown paths outside /v1, which need no key. */
  const refuseUnknown: onRequestHookHandler = (request, reply, done) => {
    if (request.is404 && !isApiPath(request.url)) throwUnknown(request, reply);
    done();
  };

  return { admit, refuseUnknown };
}

/** Fastify requires a handler where no route matches. Hooks have refused every such request before it is called. */
export async function refuseUnrouted(): Promise<never> {
  throw new ServiceError("route_not_found");
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, "[^/]+")}$`);
}

/**
 * The returned function sets `request.apiKey` and the rate headers, or fails with 401, 429 or 503. It returns a promise only
 * where it has to wait: for a key that is not cached, or a gate outside this process.
 */
export function createCallerAdmission({ gate, metrics, keyRing, clock, audit }: Services) {
  const recordBan = createBanRecorder(audit, clock);
  const openLookUp = createLookUps(gate, clock);

  function ask(request: FastifyRequest, key: ApiKey): Admission | Promise<Admission> {
    return request.route.config.charged === false ? gate.peek(key) : gate.admit(key);
  }

  function settle(request: FastifyRequest, reply: FastifyReply, admission: Admission): void {
    showRate(request, reply, admission);
    if (request.route.config.charged === false) return;
    metrics.countDecision("key", admission.verdict);
    const recorded = recordBan(request.apiKey as ApiKey, admission);
    warnOfFailure(recorded, request.log, "a ban was not recorded in the audit log");
    refuse(admission);
  }

  function admitCached(request: FastifyRequest, reply: FastifyReply, key: ApiKey): Promise<void> | undefined {
    acceptCaller(keyRing, request, key);
    // The fast path may have asked the gate before it handed the request on.
    const { admission = ask(request, key), fault } = request.raw.pending ?? {};
    const finish = (decided: Admission): Promise<void> | undefined => {
      if (decided.verdict === "stale") {
        keyRing.renew(key, decided.versions?.key ?? 0);
        return admitLookedUp(request, reply);
      }
      settle(request, reply, decided);
      if (fault !== undefined) throw fault;
      return undefined;
    };
    return admission instanceof Promise ? admission.then(finish) : finish(admission);
  }

  async function admitLookedUp(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (let lookUps = 0; lookUps < LOOK_UPS_MAX; lookUps += 1) {
      const key = await lookUpKey(request, reply);
      const admission = await ask(request, key);
      if (admission.verdict !== "stale") return settle(request, reply, admission);
      // The key has changed since it was read; nothing was charged yet.
      keyRing.renew(key, admission.versions?.key ?? 0);
    }
    throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
  }

  /** Throws 401, or 429 where the look-up was refused or the address has used up its budget. */
  async function lookUpKey(request: FastifyRequest, reply: FastifyReply): Promise<ApiKey> {
    const token = bearerOf(request);
    const lookUp = openLookUp(addressOf(request));
    const fail = (error: unknown) => {
      lookUp.close(error);
      throw error;
    };
    // A request without a key is charged at once: the next request of its packet sees the charge.
    const key = token === "" ? undefined : await keyRing.verify(token, lookUp.allow).catch(fail);
    if (key === undefined) {
      const anonymous = lookUp.refusal() ?? gate.admitAnonymous(addressOf(request));
      metrics.countDecision("stranger", anonymous.verdict);
      showRate(request, reply, anonymous);
      lookUp.close();
      refuse(anonymous);
      reply.header("www-authenticate", token === "" ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`);
      throw new ServiceError(token === "" ? "missing_api_key" : "invalid_api_key");
    }
    lookUp.close();
    acceptCaller(keyRing, request, key);
    return key;
  }

  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const key = request.raw.pending?.key ?? keyRing.recall(bearerOf(request));
    return key === undefined ? admitLookedUp(request, reply) : admitCached(request, reply, key);
  };
}

function acceptCaller(keyRing: KeyRing, request: FastifyRequest, key: ApiKey): void {
  request.apiKey = key;
  recordKeyUse(keyRing, key, { log: request.log, isDeprecated: request.route.config.deprecated });
}

/** `isDeprecated`: for a deprecated operation. */
export function recordKeyUse(
  keyRing: KeyRing,
  key: ApiKey,
  { log, isDeprecated }: { log: Pick<FastifyBaseLogger, "warn">; isDeprecated: boolean | undefined },
): void {
  warnOfFailure(keyRing.recordKeyUse(key), log, USE_NOT_STORED);
  if (isDeprecated) warnOfFailure(keyRing.recordDeprecatedUse(key), log, USE_NOT_STORED);
}

function warnOfFailure(
  stored: Promise<void> | undefined,
  log: Pick<FastifyBaseLogger, "warn">,
  message: string,
): void {
  stored?.catch((err) => log.warn({ err }, message));
}

/** The token behind "Bearer"; empty where there is none. */
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

/** Hook for paths outside /v1 that cost more than a fixed text: each address has a budget, apart from the one of /v1. */
export function chargeAddress(
  perMinute: number,
  { clock, metrics }: Pick<HttpServices, "clock" | "metrics">,
): onRequestHookHandler {
  const budgets = createAddressBudgets(perMinute);
  return (request, reply, done) => {
    const admission = budgets.admit(addressOf(request), clock.nowMs());
    metrics.countDecision("stranger", admission.verdict);
    showRate(request, reply, admission);
    refuse(admission);
    done();
  };
}

/** Hook: a malformed request is answered before anything else of it is looked at. */
export function refuseMalformed({ gate }: Pick<HttpServices, "gate">): onRequestHookHandler {
  return (request, reply, done) => {
    const fault = request.raw.pending?.formFault;
    if (fault !== undefined) {
      // It is not certain where the next request begins: nothing behind this one is served.
      endConnection(request, reply);
      showRate(request, reply, gate.peekAnonymous(addressOf(request)));
    }
    done(fault);
  };
}

/** Hook: a request whose key was not checked gets the budget of its address. */
export function setAnonymousRateHeaders({ gate }: Pick<HttpServices, "gate">): onSendHookHandler {
  return (request, reply, _payload, done) => {
    if (request.admission === undefined && isApiPath(request.url))
      showRate(request, reply, gate.peekAnonymous(addressOf(request)));
    done();
  };
}
