// The arithmetic of admission as pure functions: two windows that are charged together, and bans.

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../basics/durations.ts";
import type { KeyLimits, Policy } from "./plan.ts";

export const WINDOW_MS = { minute: MINUTE_MS, day: DAY_MS } as const;
type WindowName = keyof typeof WINDOW_MS;

/** A key is banned after more refusals than this, or than its requests per minute if those are more, within BAN_WINDOW_MS. */
export const BAN_AFTER_REFUSALS = 50;
export const BAN_WINDOW_MS = MINUTE_MS;
/** Refusals this soon after the first one do not count: those requests may have been sent before the client knew of it. */
export const BAN_GRACE_MS = 1_000;
/** The first ban. Each one that begins within BAN_MEMORY_MS of the one before is twice as long, up to BAN_MAX_MS. */
export const BAN_MS = MINUTE_MS;
export const BAN_MAX_MS = HOUR_MS;
export const BAN_MEMORY_MS = DAY_MS;

/** While `used` is 0 the window has not started, and `startMs` has no meaning. */
export interface Window {
  startMs: number;
  used: number;
}

export interface KeyCounts {
  minute: Window;
  day: Window;
  /** Refusals that count towards a ban. */
  refusals: Window;
  /**
   * Time of the first refusal since the last admission; 0 if the last request was admitted. A full window admits
   * nothing until it ends, so this is also the first refusal by the window that refuses now.
   */
  refusedSinceMs: number;
  /** `number`: how many bans in a row, each begun within BAN_MEMORY_MS of the one before. */
  ban: { startMs: number; endMs: number; number: number };
}

/** "stale": not decided, because the key has changed since the caller read it. */
export type Verdict = "admitted" | "minute" | "day" | "banned" | "stale";

/** Rise with every change on any node: of any animal, and of this key. */
interface Versions {
  pets: number;
  key: number;
}

export interface WindowView {
  name: WindowName;
  limit: number;
  remaining: number;
  resetMs: number;
}

export interface Admission {
  verdict: Verdict;
  nowMs: number;
  windows: WindowView[];
  /** Present during a ban. */
  bannedUntilMs?: number;
  /** Absent if the gate has no versions. */
  versions?: Versions;
}

const EMPTY: Window = { startMs: 0, used: 0 };
export const NO_COUNTS: KeyCounts = {
  minute: EMPTY,
  day: EMPTY,
  refusals: EMPTY,
  refusedSinceMs: 0,
  ban: { startMs: 0, endMs: 0, number: 0 },
};

/** Decides on one request and charges it to both windows or to none. Without a limit per day, nothing bans the key. */
export function admit(
  before: KeyCounts,
  policy: Policy,
  nowMs: number,
): { counts: KeyCounts; admission: Admission } {
  const counts = rollWindows(before, policy, nowMs);
  if (nowMs < counts.ban.endMs) return { counts, admission: view(counts, policy, nowMs) };

  const refusal = refusingWindow(counts, policy, nowMs);
  if (refusal === undefined) {
    const minute = charge(counts.minute, nowMs);
    const day = policy.perDay === undefined ? counts.day : charge(counts.day, nowMs);
    const charged = { ...counts, minute, day, refusedSinceMs: 0 };
    return { counts: charged, admission: view(charged, policy, nowMs) };
  }
  const refused = policy.perDay === undefined ? counts : countRefusal(counts, policy, nowMs);
  const admission = view(refused, policy, nowMs);
  if (admission.verdict === "admitted") admission.verdict = refusal;
  return { counts: refused, admission };
}

/** The same view without a charge; the verdict is "banned" or "admitted". */
export function peek(counts: KeyCounts, policy: Policy, nowMs: number): Admission {
  return view(rollWindows(counts, policy, nowMs), policy, nowMs);
}

/** Admits a request without a valid key: one window of a minute, and no bans. */
export function admitAnonymous(
  before: Window,
  limit: number,
  nowMs: number,
): { window: Window; admission: Admission } {
  const current = rollWindow(before, WINDOW_MS.minute, nowMs);
  const refused = current.used >= limit;
  const window = refused ? current : charge(current, nowMs);
  const admission: Admission = {
    verdict: refused ? "minute" : "admitted",
    nowMs,
    windows: [viewWindow("minute", window, limit, nowMs)],
  };
  return { window, admission };
}

export function peekAnonymous(before: Window | undefined, limit: number, nowMs: number): Admission {
  const window = rollWindow(before ?? EMPTY, WINDOW_MS.minute, nowMs);
  return { verdict: "admitted", nowMs, windows: [viewWindow("minute", window, limit, nowMs)] };
}

/** True if deleting the counts changes no later decision. */
export function isForgettable(counts: KeyCounts, nowMs: number): boolean {
  const rolled = rollWindows(counts, {}, nowMs);
  const noWindow = rolled.minute.used === 0 && rolled.day.used === 0 && rolled.refusals.used === 0;
  return noWindow && rolled.ban.number === 0;
}

/** Drops windows and bans that have ended by `nowMs`. */
function rollWindows(counts: KeyCounts, policy: Pick<Policy, "unbannedAtMs">, nowMs: number): KeyCounts {
  const unbannedAtMs = policy.unbannedAtMs ?? 0;
  const refusals = rollWindow(counts.refusals, BAN_WINDOW_MS, nowMs);
  return {
    minute: rollWindow(counts.minute, WINDOW_MS.minute, nowMs),
    day: rollWindow(counts.day, WINDOW_MS.day, nowMs),
    refusals: refusals.startMs <= unbannedAtMs ? EMPTY : refusals,
    refusedSinceMs: Math.min(counts.refusedSinceMs, nowMs),
    ban: rollBan(counts.ban, unbannedAtMs, nowMs),
  };
}

// A start in the future means that the clock was set back. The window or ban then starts now, with the same length.

function rollWindow(window: Window, lengthMs: number, nowMs: number): Window {
  if (window.used === 0 || nowMs - window.startMs >= lengthMs) return EMPTY;
  return window.startMs > nowMs ? { startMs: nowMs, used: window.used } : window;
}

function rollBan(ban: KeyCounts["ban"], unbannedAtMs: number, nowMs: number): KeyCounts["ban"] {
  if (ban.startMs <= unbannedAtMs || nowMs - ban.startMs >= BAN_MEMORY_MS) return NO_COUNTS.ban;
  if (ban.startMs <= nowMs) return ban;
  return { startMs: nowMs, endMs: nowMs + ban.endMs - ban.startMs, number: ban.number };
}

function charge(window: Window, nowMs: number): Window {
  return window.used === 0 ? { startMs: nowMs, used: 1 } : { startMs: window.startMs, used: window.used + 1 };
}

function refusingWindow(counts: KeyCounts, policy: Policy, nowMs: number): WindowName | undefined {
  const minuteFull = counts.minute.used >= policy.perMinute;
  const dayFull = counts.day.used >= (policy.perDay ?? Infinity);
  if (minuteFull && dayFull) {
    const minuteReset = resetMs(counts.minute, WINDOW_MS.minute, nowMs);
    return resetMs(counts.day, WINDOW_MS.day, nowMs) >= minuteReset ? "day" : "minute";
  }
  if (minuteFull) return "minute";
  return dayFull ? "day" : undefined;
}

function countRefusal(before: KeyCounts, policy: Policy, nowMs: number): KeyCounts {
  const refusedSinceMs = before.refusedSinceMs || nowMs;
  const counts = { ...before, refusedSinceMs };
  if (nowMs - refusedSinceMs < BAN_GRACE_MS) return counts;
  const refusals = charge(counts.refusals, nowMs);
  if (refusals.used <= Math.max(BAN_AFTER_REFUSALS, policy.perMinute)) return { ...counts, refusals };
  const number = counts.ban.number + 1;
  const lengthMs = Math.min(BAN_MS * 2 ** (number - 1), BAN_MAX_MS);
  return { ...counts, refusals: EMPTY, ban: { startMs: nowMs, endMs: nowMs + lengthMs, number } };
}

function view(counts: KeyCounts, limits: KeyLimits, nowMs: number): Admission {
  const { minute, day, ban } = counts;
  const verdict = nowMs < ban.endMs ? "banned" : "admitted";
  return viewAdmission({ minute, day, banEndMs: ban.endMs }, limits, nowMs, verdict);
}

/** The admission for counts that are rolled, by this module or by the script in Redis. */
export function viewAdmission(
  counts: { minute: Window; day: Window; banEndMs: number },
  { perMinute, perDay }: KeyLimits,
  nowMs: number,
  verdict: Verdict,
): Admission {
  const windows = [viewWindow("minute", counts.minute, perMinute, nowMs)];
  if (perDay !== undefined) windows.push(viewWindow("day", counts.day, perDay, nowMs));
  const isBanned = nowMs < counts.banEndMs;
  return { verdict, nowMs, windows, ...(isBanned && { bannedUntilMs: counts.banEndMs }) };
}

function viewWindow(name: WindowName, window: Window, limit: number, nowMs: number): WindowView {
  return {
    name,
    limit,
    remaining: Math.max(0, limit - window.used),
    resetMs: resetMs(window, WINDOW_MS[name], nowMs),
  };
}

function resetMs(window: Window, lengthMs: number, nowMs: number): number {
  return (window.used === 0 ? nowMs : window.startMs) + lengthMs;
}
