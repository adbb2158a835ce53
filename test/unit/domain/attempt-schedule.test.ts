// The times of attempts, and when a webhook is disabled.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ATTEMPT_WAITS_MS,
  findDisabledReason,
  isDelivered,
  isWarningDue,
  nextWaitMs,
} from "../../../src/domain/webhooks/attempt-schedule.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 0, 5 s, 5 min, 30 min, then hours; written out so that a change of the table fails here. */
const SECONDS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

test("there are ten attempts, at the documented distances, then the delivery has failed", () => {
  assert.deepEqual(
    ATTEMPT_WAITS_MS.map((ms) => ms / 1000),
    SECONDS,
  );
  for (const [attempts, seconds] of SECONDS.entries())
    assert.equal(nextWaitMs({ attempts, random: () => 0.5 }), seconds * 1000);
  assert.equal(nextWaitMs({ attempts: 10 }), undefined);
});

test("a wait varies by 20 % in both directions", () => {
  for (const [attempts, seconds] of SECONDS.entries()) {
    assert.equal(nextWaitMs({ attempts, random: () => 0 }), seconds * 800);
    assert.equal(nextWaitMs({ attempts, random: () => 1 }), seconds * 1200);
    const waitMs = nextWaitMs({ attempts }) as number;
    assert.ok(waitMs >= seconds * 800 && waitMs <= seconds * 1200);
  }
});

test("Retry-After lengthens a wait, at most to twice its length, and never shortens it", () => {
  const waitFor = (retryAfterMs: number) => nextWaitMs({ attempts: 2, retryAfterMs, random: () => 0.5 });
  assert.equal(waitFor(0), 300_000);
  assert.equal(waitFor(60_000), 300_000);
  assert.equal(waitFor(400_000), 400_000);
  assert.equal(waitFor(600_000), 600_000);
  assert.equal(waitFor(86_400_000), 600_000);
  assert.equal(nextWaitMs({ attempts: 10, retryAfterMs: 1 }), undefined);
});

test("only 2xx is a success", () => {
  for (const status of [200, 201, 204, 299]) assert.equal(isDelivered(status), true);
  for (const status of [undefined, 101, 199, 300, 302, 400, 410, 429, 500])
    assert.equal(isDelivered(status), false);
});

const disabled: Array<
  [what: string, status: number | undefined, since: number, last: number, now: number, reason?: string]
> = [
  ["410 at the first attempt", 410, 0, 0, 0, "gone"],
  ["410 after five days", 410, 0, 5 * DAY_MS, 5 * DAY_MS, "gone"],
  ["500 at the first attempt", 500, 0, 0, 0],
  ["failures for one day", 500, 0, DAY_MS, DAY_MS],
  ["failures for almost five days", 500, 0, 5 * DAY_MS - 1, 5 * DAY_MS - 1],
  ["failures for five days", 500, 0, 5 * DAY_MS, 5 * DAY_MS, "failing"],
  ["failures without a response for five days", undefined, 0, 5 * DAY_MS, 5 * DAY_MS, "failing"],
  ["failures of 12 hours, five days ago", 500, 0, 12 * HOUR_MS, 5 * DAY_MS, "failing"],
  ["failures of less than 12 hours, five days ago", 500, 0, 12 * HOUR_MS - 1, 5 * DAY_MS],
];
for (const [what, status, failingSinceMs, lastFailureMs, nowMs, reason] of disabled)
  test(`${what}: ${reason ? `disabled as ${reason}` : "stays enabled"}`, () => {
    assert.equal(findDisabledReason(status, { failingSinceMs, lastFailureMs }, nowMs), reason);
  });

test("a warning is due after the first day of failures", () => {
  assert.equal(isWarningDue(HOUR_MS, DAY_MS + HOUR_MS - 1), false);
  assert.equal(isWarningDue(HOUR_MS, DAY_MS + HOUR_MS), true);
});
