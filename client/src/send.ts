// A call from its first attempt to its last, and what the client learns from the answers on the way.

import { type Answer, readAnswer } from "./answer.ts";
import { warnOnce } from "./deprecation.ts";
import { AnimalStoreError, NotFoundError } from "./errors.ts";
import { exchange } from "./exchange.ts";
import type { Settings } from "./options.ts";
import { type RateState, readRate } from "./rate.ts";
import type { ServiceRequest } from "./request.ts";
import { canRepeat, isLimit, isUncertain, retryWaitMs } from "./retry.ts";

export interface Sender {
  /** Of the last answer that had one. */
  readonly rate: RateState | undefined;
  /** Rejects with an AnimalStoreError, or with the reason of the caller's signal. */
  send(request: ServiceRequest): Promise<Answer>;
}

export function createSender(settings: Settings): Sender {
  let rate: RateState | undefined;
  const warn = warnOnce(settings.onWarning);

  async function attempt(request: ServiceRequest): Promise<Answer> {
    const { response, text } = await exchange(request, settings.fetch);
    const nowMs = settings.nowMs();
    rate = readRate(response.headers, nowMs) ?? rate;
    warn(request, response.headers);
    return readAnswer(request, response, text, nowMs);
  }

  return {
    get rate() {
      return rate;
    },
    async send(request) {
      const { name, operation, retries, signal } = request;
      let mayBeDone = false;
      let retriesMade = 0;
      for (;;) {
        try {
          return await attempt(request);
        } catch (error) {
          if (!(error instanceof AnimalStoreError)) throw error;
          if (mayBeDone && isGone(request, error))
            return { status: 204, headers: new Headers(), body: undefined };
          const isWaitedOut = settings.waitsOutLimits && isLimit(error);
          const waitMs = retryWaitMs(error, {
            retriesMade: isWaitedOut ? 0 : retriesMade,
            retries,
            maxRetryWaitMs: settings.maxRetryWaitMs,
            canRepeat: canRepeat(name, operation),
            random: settings.random(),
          });
          if (waitMs === undefined) throw error;
          mayBeDone ||= isUncertain(error);
          await settings.sleep(waitMs, signal, error);
          if (!isWaitedOut) retriesMade += 1;
        }
      }
    },
  };
}

/** A DELETE whose answer was lost finds nothing more to delete: it is as was asked. */
function isGone({ operation }: ServiceRequest, error: AnimalStoreError): boolean {
  return operation.method === "DELETE" && error instanceof NotFoundError && error.code !== "route_not_found";
}
