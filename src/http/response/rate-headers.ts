// Headers that tell the caller its limits and what remains of them.

import type { onSendHookHandler } from "fastify";
import {
  type Admission,
  bindingWindow,
  secondsUntil,
  unixSeconds,
  WINDOW_MS,
} from "../../domain/keys/limits.ts";
import { addressOf } from "../request/client-address.ts";
import { isApiPath } from "../request/request-form.ts";
import type { HttpServices } from "../services.ts";
import type { Headers } from "./common-headers.ts";

export function rateTexts(admission: Admission) {
  const { windows, nowMs } = admission;
  const { limit, remaining, resetMs } = bindingWindow(admission);
  let policy = "";
  let state = "";
  for (const window of windows) {
    const comma = policy === "" ? "" : ", ";
    policy += `${comma}"${window.name}";q=${window.limit};w=${WINDOW_MS[window.name] / 1000}`;
    state += `${comma}"${window.name}";r=${window.remaining};t=${secondsUntil(window.resetMs, nowMs)}`;
  }
  return {
    limit: String(limit),
    remaining: String(remaining),
    reset: String(unixSeconds(resetMs)),
    policy,
    state,
  };
}

export function rateHeaders(admission: Admission): Headers {
  const { limit, remaining, reset, policy, state } = rateTexts(admission);
  return {
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": reset,
    "ratelimit-policy": policy,
    ratelimit: state,
  };
}

/** Hook: a request whose key was not checked gets the budget of its address. */
export function setAnonymousRateHeaders({ gate }: Pick<HttpServices, "gate">): onSendHookHandler {
  return (request, reply, _payload, done) => {
    const isMalformed = request.raw.arrival?.formFault !== undefined;
    if (request.admission === undefined && (isMalformed || isApiPath(request.url)))
      reply.headers(rateHeaders(gate.peekAnonymous(addressOf(request))));
    done();
  };
}
