// When a delivery is attempted again, and when an endpoint counts as failing.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../basics/durations.ts";
import type { Failures } from "./dispatch.ts";
import type { DisabledReason } from "./webhook.ts";
import { DISABLED_AFTER_DAYS } from "./webhook-limits.ts";

/** The wait before each attempt, counted from the one before: 75.6 hours in all. */
export const ATTEMPT_WAITS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
];
/** Waits vary by this share, so that the events of an outage are not all sent again at the same moment. */
const VARIATION = 0.2;
const RETRY_AFTER_FACTOR_MAX = 2;

const WARNING_AFTER_MS = DAY_MS;
const DISABLED_AFTER_MS = DISABLED_AFTER_DAYS * DAY_MS;
const FAILURES_APART_MS = 12 * HOUR_MS;

const GONE = 410;

export function isDelivered(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

interface FailedAttempts {
  /** Attempts made so far. */
  attempts: number;
  /** The wait that the receiver asked for. */
  retryAfterMs?: number | undefined;
  /** From 0 to 1. */
  random?: () => number;
}

/** How long to wait for the next attempt; undefined after the last one, when the delivery has failed. */
export function nextWaitMs({
  attempts,
  retryAfterMs = 0,
  random = Math.random,
}: FailedAttempts): number | undefined {
  const stepMs = ATTEMPT_WAITS_MS[attempts];
  if (stepMs === undefined) return undefined;
  const variedMs = stepMs * (1 - VARIATION + 2 * VARIATION * random());
  return Math.round(Math.max(variedMs, Math.min(retryAfterMs, RETRY_AFTER_FACTOR_MAX * stepMs)));
}

/**
 * Why a webhook must be disabled, if it must: after a failure, or later, because nothing has succeeded since. Failures of a
 * short time are not enough for `failing`: the receiver may have been repaired, and no event has come since.
 */
export function findDisabledReason(
  status: number | undefined,
  { failingSinceMs, lastFailureMs }: Failures,
  nowMs: number,
): Extract<DisabledReason, "gone" | "failing"> | undefined {
  if (status === GONE) return "gone";
  const isLong = nowMs - failingSinceMs >= DISABLED_AFTER_MS;
  return isLong && lastFailureMs - failingSinceMs >= FAILURES_APART_MS ? "failing" : undefined;
}

/** Whether the operator must be warned that all attempts fail. */
export function isWarningDue(failingSinceMs: number, nowMs: number): boolean {
  return nowMs - failingSinceMs >= WARNING_AFTER_MS;
}

/** RFC 9110: seconds, or a date in the form of Date.toUTCString. Undefined for anything else. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  const date = new Date(text);
  const isHttpDate = !Number.isNaN(date.getTime()) && date.toUTCString() === text;
  return isHttpDate ? Math.max(0, date.getTime() - nowMs) : undefined;
}
