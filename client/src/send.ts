// A call from its first attempt to its last, and what the client learns from the answers on the way.

import { type Answer, readAnswer } from "./answer.ts";
import { warnOnce } from "./deprecation.ts";
import { AnimalStoreError, NotFoundError } from "./errors.ts";
import { exchange } from "./exchange.ts";
import { createLimitWait, type KnownLimit } from "./limit-wait.ts";
import type { Settings } from "./options.ts";
import { type RateState, readRate } from "./rate.ts";
import type { ServiceRequest } from "./request.ts";
import { canRepeat, type Failed, isCharged, isLimit, isUncertain, retryWaitMs } from "./retry.ts";

export interface Sender {
  /** Of the last answer that had one. */
  readonly rate: RateState | undefined;
  /** Rejects with an AnimalStoreError, or with the reason of the caller's signal. */
  send(request: ServiceRequest): Promise<Answer>;
}

/** One call of a method, over all its attempts. */
interface Call {
  request: ServiceRequest;
  retriesMade: number;
  mayBeDone: boolean;
  /** The limit that it has waited for, or that it was not to wait for. */
  passed: KnownLimit | undefined;
  hasWaited: boolean;
}

export function createSender(settings: Settings): Sender {
  let rate: RateState | undefined;
  const warn = warnOnce(settings.onWarning);
  const limits = createLimitWait();

  async function attempt(request: ServiceRequest): Promise<Answer> {
    const { response, text } = await exchange(request, settings.fetch);
    const nowMs = settings.nowMs();
    rate = readRate(response.headers, nowMs) ?? rate;
    warn(request, response.headers);
    return readAnswer(request, response, text, nowMs);
  }

  /** Resolves to false, at once, where the call is not to be tried again. */
  async function waitAfter(failed: Failed, error: AnimalStoreError, call: Call): Promise<boolean> {
    const { name, operation, retries, signal } = call.request;
    const isWaitedOut = settings.waitsOutLimits && isLimit(failed);
    const isBan = isWaitedOut && failed.code === "key_banned";
    const waitMs = retryWaitMs(failed, {
      retriesMade: isWaitedOut ? 0 : call.retriesMade,
      retries,
      maxRetryWaitMs: isBan ? Number.POSITIVE_INFINITY : settings.maxRetryWaitMs,
      canRepeat: canRepeat(name, operation),
      random: settings.random(),
    });
    if (waitMs === undefined) return false;
    await settings.sleep(waitMs, signal, error);
    if (!isWaitedOut) call.retriesMade += 1;
    return true;
  }

  /** A limit that another call has met, and this one has not waited for. */
  function findLimit({ request, passed }: Call): KnownLimit | undefined {
    const limit = isCharged(request.name) ? limits.current(settings.nowMs()) : undefined;
    return limit === passed ? undefined : limit;
  }

  async function waitForLimits(call: Call): Promise<void> {
    for (let limit = findLimit(call); limit !== undefined; limit = findLimit(call)) {
      call.passed = limit;
      const { status, code } = limit.error;
      const retryAfter = (limit.endMs - settings.nowMs()) / 1000;
      // One that may not wait is sent all the same: it hears for itself, or finds the limit lifted.
      if (await waitAfter({ status, code, retryAfter }, limit.error, call)) call.hasWaited = true;
    }
  }

  /** Resolves when the call may be sent; what it resolves to is to be called when its answer is there. */
  async function enter(call: Call): Promise<(() => void) | undefined> {
    for (;;) {
      await waitForLimits(call);
      if (!call.hasWaited) return undefined;
      const giveBack = await limits.takeTurn(call.request.signal);
      if (findLimit(call) === undefined) return giveBack;
      giveBack();
    }
  }

  async function send(call: Call): Promise<Answer> {
    const leave = await enter(call);
    const before = isCharged(call.request.name) ? limits.current(settings.nowMs()) : undefined;
    try {
      const answer = await attempt(call.request);
      if (before !== undefined) limits.lift(before);
      return answer;
    } catch (error) {
      if (error instanceof AnimalStoreError && isLimit(error)) limits.note(error, settings.nowMs());
      throw error;
    } finally {
      leave?.();
    }
  }

  return {
    get rate() {
      return rate;
    },
    async send(request) {
      const call: Call = { request, retriesMade: 0, mayBeDone: false, passed: undefined, hasWaited: false };
      for (;;) {
        try {
          return await send(call);
        } catch (error) {
          if (!(error instanceof AnimalStoreError)) throw error;
          if (call.mayBeDone && isGone(request, error))
            return { status: 204, headers: new Headers(), body: undefined };
          call.mayBeDone ||= isUncertain(error);
          if (isLimit(error)) call.passed = limits.current(settings.nowMs());
          if (!(await waitAfter(error, error, call))) throw error;
          call.hasWaited ||= isLimit(error);
        }
      }
    },
  };
}

/** A DELETE whose answer was lost finds nothing more to delete: it is as was asked. */
function isGone({ operation }: ServiceRequest, error: AnimalStoreError): boolean {
  return operation.method === "DELETE" && error instanceof NotFoundError && error.code !== "route_not_found";
}
