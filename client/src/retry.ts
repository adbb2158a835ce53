// Whether and when a failed call is tried again: pure, without a clock.

import type { Operation } from "./operation.ts";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** The service, or what stands before it, has refused the request without beginning it. */
const REFUSED = [408, 429];
/** It may have been carried out all the same. */
const UNCERTAIN = [502, 503, 504];

/** PATCHes that set values: done twice is done once. A second `updateOrder` is another move, and a conflict. */
const REPEATABLE_PATCHES = ["updatePet", "updateKey"];

/** Answered whatever is left to the key, and charged to none of its windows. */
const UNCHARGED = ["getUsage"];

export interface Failed {
  readonly status: number | undefined;
  readonly code: string;
  readonly retryAfter: number | undefined;
}

interface Attempt {
  /** Retries that were made before this failure. */
  retriesMade: number;
  retries: number;
  maxRetryWaitMs: number;
  /** Whether doing it twice is as good as doing it once. */
  canRepeat: boolean;
  /** From 0 up to 1. */
  random: number;
}

/** POSTs can be repeated because each is sent with an Idempotency-Key. */
export function canRepeat(name: string, { method }: Operation): boolean {
  return method !== "PATCH" || REPEATABLE_PATCHES.includes(name);
}

/** Whether the limits of the key can refuse it. */
export function isCharged(name: string): boolean {
  return !UNCHARGED.includes(name);
}

/** Nobody knows whether the request was carried out. */
export function isUncertain({ status }: Pick<Failed, "status">): boolean {
  return status === undefined || UNCERTAIN.includes(status);
}

/** A limit that says when it ends: waiting is all there is to do. */
export function isLimit({ status, retryAfter }: Pick<Failed, "status" | "retryAfter">): boolean {
  return status === 429 && retryAfter !== undefined;
}

/** Whole milliseconds until the next attempt; undefined when there is to be none. */
export function retryWaitMs(failed: Failed, attempt: Attempt): number | undefined {
  if (attempt.retriesMade >= attempt.retries || !isWorthRetrying(failed, attempt)) return undefined;
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt.retriesMade);
  const backoffMs = Math.ceil(longest * (0.5 + attempt.random / 2));
  if (failed.retryAfter === undefined) return backoffMs;
  const askedMs = failed.retryAfter * 1000;
  // Never before the time that was asked for, and not all clients at that very moment.
  return askedMs <= attempt.maxRetryWaitMs ? askedMs + backoffMs : undefined;
}

function isWorthRetrying(failed: Failed, { canRepeat }: Attempt): boolean {
  if (isUncertain(failed)) return canRepeat;
  // The first attempt of this very call, whose connection was lost, may still be running.
  if (failed.code === "idempotency_in_progress") return true;
  return failed.status !== undefined && REFUSED.includes(failed.status);
}
