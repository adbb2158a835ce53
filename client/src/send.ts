// Sends a call: its attempts and waits, and the rate limits and warnings from the responses.

import { type Answer, readAnswer, readError } from "./answer.ts";
import { warnOnce } from "./deprecation.ts";
import { AnimalStoreError } from "./errors.ts";
import { type Connection, openStream } from "./events/stream.ts";
import { exchange } from "./exchange.ts";
import { createLimitWait, type KnownLimit, type LimitWait } from "./limit-wait.ts";
import type { Settings } from "./options.ts";
import { type RateState, readRate } from "./rate.ts";
import type { ServiceRequest } from "./request.ts";
import { canRepeat, type Failed, isCharged, isLimit, isUncertain, retryWaitMs } from "./retry.ts";
import { NotFoundError } from "./service-errors.ts";

export interface Sender {
  /** From the last response with rate limit headers. */
  readonly rate: RateState | undefined;
  /** Rejects with an AnimalStoreError, or with the reason of the caller's signal. */
  send(request: ServiceRequest): Promise<Answer>;
  /** As `send`, but resolves when the stream has begun. Also rejects with NoStream. */
  open(request: ServiceRequest): Promise<Connection>;
}

/** The state of one method call over all its attempts. */
interface Call {
  request: ServiceRequest;
  retriesMade: number;
  mayBeDone: boolean;
  /** The last limit that was considered: the call has waited for it, or must not wait for it. */
  handledLimit: KnownLimit | undefined;
  hasWaited: boolean;
}

export function createSender(settings: Settings): Sender {
  const limits = createLimitWait();
  const { waitAfter, waitForSlot } = createCallWaits(settings, limits);
  const attempts = createAttempts(settings);

  async function carryOut<T>(call: Call, attempt: (call: Call) => Promise<T>): Promise<T> {
    const release = await waitForSlot(call);
    const before = isCharged(call.request.name) ? limits.current(settings.nowMs()) : undefined;
    try {
      const answer = await attempt(call);
      if (before !== undefined) limits.lift(before);
      return answer;
    } catch (error) {
      if (error instanceof AnimalStoreError && isLimit(error)) limits.record(error, settings.nowMs());
      throw error;
    } finally {
      release?.();
    }
  }

  async function repeat<T>(request: ServiceRequest, attempt: (call: Call) => Promise<T>): Promise<T> {
    const call = beginCall(request);
    for (;;) {
      try {
        return await carryOut(call, attempt);
      } catch (error) {
        if (!(error instanceof AnimalStoreError)) throw error;
        call.mayBeDone ||= isUncertain(error);
        if (isLimit(error)) call.handledLimit = limits.current(settings.nowMs());
        if (!(await waitAfter(error, error, call))) throw error;
        call.hasWaited ||= isLimit(error);
      }
    }
  }

  return {
    get rate() {
      return attempts.rate;
    },
    send: (request) => repeat(request, attempts.send),
    open: (request) => repeat(request, attempts.open),
  };
}

function beginCall(request: ServiceRequest): Call {
  return { request, retriesMade: 0, mayBeDone: false, handledLimit: undefined, hasWaited: false };
}

/** One attempt of a call; reads the rate limits and warnings from its response. */
function createAttempts(settings: Settings) {
  let rate: RateState | undefined;
  const warn = warnOnce(settings.onWarning);

  function readHeaders(request: ServiceRequest, { headers }: Pick<Response, "headers">): void {
    rate = readRate(headers, settings.nowMs()) ?? rate;
    warn(request, headers);
  }

  async function send({ request, mayBeDone }: Call): Promise<Answer> {
    const received = await exchange(request, settings.fetch);
    readHeaders(request, received.response);
    try {
      return readAnswer(request, received, settings.nowMs());
    } catch (error) {
      if (mayBeDone && isAlreadyDeleted(request, error))
        return { status: 204, headers: new Headers(), body: undefined };
      throw error;
    }
  }

  async function open({ request }: Call): Promise<Connection> {
    const opened = await openStream(request, settings.fetch);
    readHeaders(request, opened.response);
    if ("close" in opened) return opened;
    throw readError(request, opened.response, opened.text, settings.nowMs());
  }

  return {
    get rate() {
      return rate;
    },
    send,
    open,
  };
}

/** Waits between the attempts of a call, and for limits that other calls have met. */
function createCallWaits(settings: Settings, limits: LimitWait) {
  /** Resolves to false at once where the call is not retried. */
  async function waitAfter(failed: Failed, error: AnimalStoreError, call: Call): Promise<boolean> {
    const { name, operation, headers, retries, longestWaitMs, signal } = call.request;
    const isWaitedOut = settings.waitsOutLimits && isLimit(failed);
    const isBan = isWaitedOut && failed.code === "key_banned";
    const waitMs = retryWaitMs(failed, {
      retriesMade: isWaitedOut ? 0 : call.retriesMade,
      retries,
      maxRetryWaitMs: isBan ? Number.POSITIVE_INFINITY : settings.maxRetryWaitMs,
      longestWaitMs,
      canRepeat: canRepeat(name, operation, headers["if-match"] !== undefined),
      random: settings.random(),
    });
    if (waitMs === undefined) return false;
    await settings.sleep(waitMs, signal, error);
    if (!isWaitedOut) call.retriesMade += 1;
    return true;
  }

  /** A limit that another call has met and that this call has not handled yet. */
  function findLimit({ request, handledLimit }: Call): KnownLimit | undefined {
    const limit = isCharged(request.name) ? limits.current(settings.nowMs()) : undefined;
    return limit === handledLimit ? undefined : limit;
  }

  async function waitForLimits(call: Call): Promise<void> {
    for (let limit = findLimit(call); limit !== undefined; limit = findLimit(call)) {
      call.handledLimit = limit;
      const { status, code } = limit.error;
      const retryAfter = (limit.endMs - settings.nowMs()) / 1000;
      // A call that must not wait is sent: it gets its own 429, or the limit was lifted.
      if (await waitAfter({ status, code, retryAfter }, limit.error, call)) call.hasWaited = true;
    }
  }

  /** Resolves when the call may be sent. The result, if any, releases the slot of the call. */
  async function waitForSlot(call: Call): Promise<(() => void) | undefined> {
    for (;;) {
      await waitForLimits(call);
      if (!call.hasWaited) return undefined;
      const release = await limits.takeSlot(call.request.signal);
      if (findLimit(call) === undefined) return release;
      release();
    }
  }

  return { waitAfter, waitForSlot };
}

/** The first attempt of a DELETE, whose response was lost, has deleted the thing. */
function isAlreadyDeleted({ operation }: ServiceRequest, error: unknown): boolean {
  return operation.method === "DELETE" && error instanceof NotFoundError && error.code !== "route_not_found";
}
