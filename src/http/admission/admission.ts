// The checks of a request before its body is read: key, limits, route (404, 405), access, removal.

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
} from "fastify";
import { isGetPetRemoved } from "../../domain/basics/deprecation.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { type AddressBudgets, createAddressBudgets } from "../../domain/keys/address-budgets.ts";
import type { Admission } from "../../domain/keys/admission.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { ACCEPTS_PER_MINUTE } from "../../domain/people/invitation.ts";
import { addressOf } from "../headers/client-address.ts";
import { endConnection } from "../headers/common-headers.ts";
import { deprecationHeaders } from "../headers/deprecation-headers.ts";
import { isApiPath } from "../request/request-form.ts";
import type { HttpServices } from "../services.ts";
import { type AdmissionServices, createCallerAdmission, refuse, showRate } from "./admit-caller.ts";
import { refusePublishable, requireAccess, requirePerson } from "./caller.ts";
import { collectPaths } from "./known-paths.ts";

/** Must be called before the routes are registered: it collects their paths in an `onRoute` hook. */
export function createAdmission(
  app: FastifyInstance,
  services: AdmissionServices & Pick<HttpServices, "publicUrl" | "getPetDeprecatedMs">,
) {
  const admitCaller = createCallerAdmission(services);
  const charge = chargeTo(services);
  const keylessBudgets = createAddressBudgets(ACCEPTS_PER_MINUTE);
  const throwUnknown = collectPaths(app);

  function checkOperation(request: FastifyRequest, reply: FastifyReply): void {
    if (request.is404) throwUnknown(request, reply);
    const { access = "admin", deprecated, person, publishable } = request.route.config;
    if (!publishable) refusePublishable(request.apiKey as ApiKey);
    requireAccess(request.apiKey as ApiKey, access, reply);
    if (person) requirePerson(request.apiKey as ApiKey);
    if (deprecated && isGetPetRemoved(services.clock.nowMs())) throw new ServiceError("operation_removed");
  }

  /** Hook for operations: key and limits first, so that an unknown path is charged too. */
  const admit: onRequestHookHandler = (request, reply, done) => {
    if (request.route.config.keyless) {
      charge(request, reply, keylessBudgets.admit(addressOf(request), services.clock.nowMs()));
      return done();
    }
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

/** Hook for paths outside /v1 that cost more than a fixed text: each address has a budget, apart from the one of /v1. */
export function chargeAddress(
  budgets: AddressBudgets,
  { clock, metrics }: Pick<HttpServices, "clock" | "metrics">,
): onRequestHookHandler {
  const charge = chargeTo({ metrics });
  return (request, reply, done) => {
    // The fast path may have charged the address before it passed the request to Fastify.
    charge(
      request,
      reply,
      request.raw.pending?.admission ?? budgets.admit(addressOf(request), clock.nowMs()),
    );
    done();
  };
}

/** Throws 429 for an address that was not admitted. */
function chargeTo({ metrics }: Pick<HttpServices, "metrics">) {
  return (request: FastifyRequest, reply: FastifyReply, admission: Admission): void => {
    metrics.countDecision("stranger", admission.verdict);
    showRate(request, reply, admission);
    refuse(admission);
  };
}

/** Hook: a malformed request is answered before anything else of it is looked at. */
export function refuseMalformed({ gate }: Pick<HttpServices, "gate">): onRequestHookHandler {
  return (request, reply, done) => {
    const fault = request.raw.pending?.formFault;
    if (fault !== undefined) {
      // It is not certain where the next request begins: nothing after this one is served.
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
