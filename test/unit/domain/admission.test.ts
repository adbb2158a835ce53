// The arithmetic of admission against a plain model that keeps every request in a list.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Admission,
  admit,
  isForgettable,
  type KeyCounts,
  NO_COUNTS,
  peek,
} from "../../../src/domain/keys/admission.ts";
import type { Policy } from "../../../src/domain/keys/plan.ts";
import { retryAfterSeconds } from "../../../src/domain/keys/retry-after.ts";
import { bindingWindow } from "../../../src/domain/keys/shown-limits.ts";

const DAY_MS = 86_400_000;

/** The same rules with lists of times instead of counters. */
function createModel() {
  let windows = { minute: [] as number[], day: [] as number[] };
  /** The first refusal by each window, until the window ends. */
  let firstRefusals: { minute?: number; day?: number } = {};
  let refusals: number[] = [];
  let bans: Array<{ startMs: number; endMs: number }> = [];

  const inside = (moments: number[], lengthMs: number, nowMs: number) =>
    moments[0] !== undefined && nowMs - moments[0] < lengthMs ? moments : [];

  return (
    policy: Policy,
    nowMs: number,
  ): { verdict: Admission["verdict"]; minute: number; day: number; endMs?: number } => {
    windows = { minute: inside(windows.minute, 60_000, nowMs), day: inside(windows.day, DAY_MS, nowMs) };
    if (windows.minute.length === 0) delete firstRefusals.minute;
    if (windows.day.length === 0) delete firstRefusals.day;
    refusals = inside(refusals, 60_000, nowMs);
    const pardonMs = policy.unbannedAtMs ?? 0;
    if (refusals[0] !== undefined && refusals[0] <= pardonMs) refusals = [];
    const last = bans.at(-1);
    if (last && (last.startMs <= pardonMs || nowMs - last.startMs >= DAY_MS)) bans = [];

    const left = () => ({ minute: windows.minute.length, day: windows.day.length });
    const current = bans.at(-1);
    if (current && nowMs < current.endMs) return { verdict: "banned", ...left(), endMs: current.endMs };

    const full = [
      ...(windows.minute.length >= policy.perMinute
        ? [{ name: "minute" as const, resetMs: (windows.minute[0] ?? nowMs) + 60_000 }]
        : []),
      ...(windows.day.length >= (policy.perDay ?? Infinity)
        ? [{ name: "day" as const, resetMs: (windows.day[0] ?? nowMs) + DAY_MS }]
        : []),
    ].sort((a, b) => b.resetMs - a.resetMs);
    if (full[0] === undefined) {
      windows.minute = [...windows.minute, nowMs];
      if (policy.perDay !== undefined) windows.day = [...windows.day, nowMs];
      return { verdict: "admitted", ...left() };
    }
    if (policy.perDay === undefined) return { verdict: full[0].name, ...left(), endMs: full[0].resetMs };
    const firstMs = firstRefusals[full[0].name] ?? nowMs;
    firstRefusals = { ...firstRefusals, [full[0].name]: firstMs };
    if (nowMs - firstMs >= 1_000) refusals = [...refusals, nowMs];
    if (refusals.length <= Math.max(50, policy.perMinute))
      return { verdict: full[0].name, ...left(), endMs: full[0].resetMs };
    refusals = [];
    const endMs = nowMs + Math.min(60_000 * 2 ** bans.length, 3_600_000);
    bans = [...bans, { startMs: nowMs, endMs }];
    return { verdict: "banned", ...left(), endMs };
  };
}

const steps = fc.array(
  fc.record({
    // Bursts at one moment, pauses around the edges of every window, and whole days.
    waitMs: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      fc.integer({ min: 1, max: 2_000 }),
      fc.constantFrom(999, 1_000, 1_001, 59_999, 60_000, 60_001, 120_000, 3_600_000, DAY_MS - 1, DAY_MS),
    ),
    times: fc.integer({ min: 1, max: 70 }),
    unban: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

test("admission agrees with the plain model in every sequence", () => {
  const limits = fc.record({
    perMinute: fc.integer({ min: 1, max: 70 }),
    perDay: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(limits, steps, (plan, moves) => {
      const model = createModel();
      let counts: KeyCounts = NO_COUNTS;
      let nowMs = Date.UTC(2027, 0, 1);
      let unbannedAtMs: number | undefined;
      for (const { waitMs, times, unban } of moves) {
        nowMs += waitMs;
        if (unban && waitMs > 0) unbannedAtMs = nowMs;
        for (let i = 0; i < times; i++) {
          const policy = { ...plan, unbannedAtMs };
          const expected = model(policy, nowMs);
          const { counts: after, admission } = admit(counts, policy, nowMs);
          counts = after;
          const [minute, day] = admission.windows;
          assert.equal(admission.verdict, expected.verdict);
          assert.equal(minute?.remaining, plan.perMinute - expected.minute);
          assert.equal(day?.remaining, plan.perDay && plan.perDay - expected.day);
          if (expected.endMs !== undefined) {
            assert.equal(
              retryAfterSeconds(admission),
              Math.max(1, Math.ceil((expected.endMs - nowMs) / 1000)),
            );
          }
          checkSense(admission, counts, policy, nowMs);
        }
      }
    }),
    { numRuns: 300 },
  );
});

/** Properties of every admission. */
function checkSense(admission: Admission, counts: KeyCounts, policy: Policy, nowMs: number): void {
  const binding = bindingWindow(admission);
  if (admission.verdict === "minute" || admission.verdict === "day") {
    assert.equal(binding.name, admission.verdict);
    assert.equal(binding.remaining, 0);
  } else {
    assert.ok(admission.windows.every(({ remaining }) => remaining >= binding.remaining));
  }
  assert.ok(admission.windows.every(({ resetMs }) => resetMs > nowMs));
  assert.deepEqual(
    peek(counts, policy, nowMs).windows.map(({ remaining }) => remaining),
    admission.windows.map(({ remaining }) => remaining),
    "looking changes nothing",
  );
  assert.equal(isForgettable(counts, nowMs), false);
}

test("counts are forgettable once they can change no decision, and not before", () => {
  const { counts } = admit(NO_COUNTS, { perMinute: 1, perDay: 1 }, 1_000);
  assert.equal(isForgettable(counts, 1_000 + DAY_MS - 1), false);
  assert.equal(isForgettable(counts, 1_000 + DAY_MS), true);
});

test("remaining is never negative after a change to a lower plan", () => {
  let counts = NO_COUNTS;
  for (let i = 0; i < 10; i++) counts = admit(counts, { perMinute: 60, perDay: 1_000 }, 1_000).counts;
  const { admission } = admit(counts, { perMinute: 5, perDay: 1_000 }, 1_000);
  assert.equal(admission.verdict, "minute");
  assert.equal(bindingWindow(admission).remaining, 0);
});

test("the minute is the binding window if as much is left of the minute as of the day", () => {
  assert.equal(bindingWindow(admit(NO_COUNTS, { perMinute: 5, perDay: 5 }, 1_000).admission).name, "minute");
  assert.equal(bindingWindow(admit(NO_COUNTS, { perMinute: 5, perDay: 4 }, 1_000).admission).name, "day");
});

test("a clock that is set back prolongs no window and no ban", () => {
  const policy = { perMinute: 1, perDay: 100 };
  const lateMs = 10 * DAY_MS;
  let counts = admit(NO_COUNTS, policy, lateMs).counts;
  const earlyMs = lateMs - 7_200_000;
  const held = admit(counts, policy, earlyMs);
  assert.equal(held.admission.verdict, "minute");
  assert.equal(retryAfterSeconds(held.admission), 60);
  assert.equal(admit(held.counts, policy, earlyMs + 60_000).admission.verdict, "admitted");

  counts = admit(counts, policy, lateMs - 1_000).counts;
  for (let i = 0; i < 51; i++) counts = admit(counts, policy, lateMs).counts;
  const banned = admit(counts, policy, earlyMs);
  assert.equal(banned.admission.verdict, "banned");
  assert.equal(retryAfterSeconds(banned.admission), 60);
  const unbanned = admit(banned.counts, { ...policy, unbannedAtMs: earlyMs + 1 }, earlyMs + 2);
  assert.equal(unbanned.admission.verdict, "minute");
});
