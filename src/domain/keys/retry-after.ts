// When a refused caller may come back: Retry-After of a 429.

import type { Admission } from "./admission.ts";
import { bindingWindow } from "./shown-limits.ts";

/** Whole seconds, at least one; never ends before the reset or the ban. */
export function retryAfterSeconds(admission: Admission): number {
  const endMs = admission.bannedUntilMs ?? bindingWindow(admission).resetMs;
  return secondsUntil(endMs, admission.nowMs);
}

export function secondsUntil(endMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endMs - nowMs) / 1000));
}
