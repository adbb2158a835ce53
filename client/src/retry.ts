// The retry rules: whether and when a failed call is repeated. Pure functions.

import type { Operation } from "./operation.ts";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** The request may have been carried out. */
const UNCERTAIN = [502, 503, 504];

/** PATCHes that set values are idempotent. A second `updateOrder` would be another transition and a conflict. */
const REPEATABLE_PATCHES = [
  "updatePet",
  "updateProfile",
  "orderPhotos",
  "updatePhoto",
  "updateKey",
  "updatePerson",
  "updateShelter",
  "updateSite",
];

export interface Failed {
  readonly status: number | undefined;
  readonly code: string;
  readonly retryAfter: number | undefined;
}

interface Attempt {
  /** Retries before this failure. */
  retriesMade: number;
  retries: number;
  maxRetryWaitMs: number;
  /** The longest back-off without a Retry-After. Default: 8 seconds. */
  longestWaitMs?: number | undefined;
  /** Whether the operation may be carried out twice. */
  canRepeat: boolean;
  /** At least 0 and less than 1. */
  random: number;
}

/**
 * POSTs can be repeated because each one has an Idempotency-Key, unless the service does not use it. A PATCH with If-Match cannot: if its first attempt has
 * changed the thing, the second would report that somebody else has.
 */
export function canRepeat(name: string, { method, isOnce }: Operation, hasIfMatch: boolean): boolean {
  if (isOnce) return false;
  return method !== "PATCH" || (REPEATABLE_PATCHES.includes(name) && !hasIfMatch);
}

/** Whether the operation counts against the limits of the key. */
export function isCharged(name: string): boolean {
  return name !== "getUsage";
}

/** It is unknown whether the request was carried out. */
export function isUncertain({ status }: Pick<Failed, "status">): boolean {
  return status === undefined || UNCERTAIN.includes(status);
}

/** A rate limit with a known end, for every call of the key. Too many streams are refused without one for other calls. */
export function isLimit({ status, code, retryAfter }: Failed): boolean {
  return status === 429 && code !== "too_many_streams" && retryAfter !== undefined;
}

/** Milliseconds until the next attempt, an integer; undefined where the call is not retried. */
export function retryWaitMs(failed: Failed, attempt: Attempt): number | undefined {
  if (attempt.retriesMade >= attempt.retries || !isWorthRetrying(failed, attempt)) return undefined;
  const longest = Math.min(
    attempt.longestWaitMs ?? LONGEST_WAIT_MS,
    FIRST_WAIT_MS * 2 ** attempt.retriesMade,
  );
  const backoffMs = Math.ceil(longest * (0.5 + attempt.random / 2));
  if (failed.retryAfter === undefined) return backoffMs;
  const askedMs = failed.retryAfter * 1000;
  // Not before Retry-After, and not all clients at the same moment.
  return askedMs <= attempt.maxRetryWaitMs ? askedMs + backoffMs : undefined;
}

function isWorthRetrying(failed: Failed, { canRepeat }: Attempt): boolean {
  if (isUncertain(failed)) return canRepeat;
  // An earlier attempt of the same call, whose connection was lost, may still be running.
  if (failed.code === "idempotency_in_progress") return true;
  // The request was refused before it was carried out.
  return failed.status === 408 || failed.status === 429;
}
