// The retry rules of the client: when it retries, and how long it waits.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OPERATIONS } from "../../../client/src/client.ts";
import { canRepeat, isLimit, retryWaitMs } from "../../../client/src/retry.ts";

const UNAVAILABLE = { status: 503, code: "unavailable", retryAfter: undefined };
const FIRST = { retriesMade: 0, retries: 3, maxRetryWaitMs: 60_000, canRepeat: true, random: 0 };

test("waits double with every retry, up to eight seconds", () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 7].map((retriesMade) =>
    retryWaitMs(UNAVAILABLE, { ...FIRST, retriesMade, retries: 99, random: 1 }),
  );
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
});

test("a random part of up to half is taken off each wait, so that clients do not retry together", () => {
  assert.equal(retryWaitMs(UNAVAILABLE, { ...FIRST, random: 0 }), 125);
  assert.equal(retryWaitMs(UNAVAILABLE, { ...FIRST, random: 0.5 }), 188);
});

test("no wait is shorter than Retry-After", () => {
  const failures = fc.constantFrom(408, 429, 502, 503, 504);
  const random = fc.double({ min: 0, max: 0.99, noNaN: true });
  const retry = fc.record({ status: failures, retryAfter: fc.nat(60), retriesMade: fc.nat(2), random });
  fc.assert(
    fc.property(retry, ({ status, retryAfter, ...options }) => {
      const waitMs = retryWaitMs({ status, code: "any", retryAfter }, { ...FIRST, ...options });
      assert.ok(waitMs !== undefined && waitMs > retryAfter * 1000 && waitMs <= retryAfter * 1000 + 1000);
    }),
  );
});

test("does not retry when Retry-After is longer than maxRetryWaitMs", () => {
  const limited = { status: 429, code: "daily_limit_exceeded", retryAfter: 61 };
  assert.equal(retryWaitMs(limited, FIRST), undefined);
});

test("makes no more retries than allowed", () => {
  assert.equal(retryWaitMs(UNAVAILABLE, { ...FIRST, retriesMade: 3 }), undefined);
  assert.equal(retryWaitMs(UNAVAILABLE, { ...FIRST, retries: 0 }), undefined);
});

test("does not retry errors of the request itself", () => {
  for (const status of [301, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 431, 500, 501])
    assert.equal(retryWaitMs({ status, code: "any", retryAfter: undefined }, FIRST), undefined, `${status}`);
});

test("retries while its own earlier attempt is still running", () => {
  const running = { status: 409, code: "idempotency_in_progress", retryAfter: undefined };
  assert.equal(retryWaitMs(running, FIRST), 125);
});

test("retries a call that must not run twice only if it was certainly not started", () => {
  const once = { ...FIRST, canRepeat: false };
  for (const status of [undefined, 502, 503, 504])
    assert.equal(retryWaitMs({ ...UNAVAILABLE, status }, once), undefined, `${status}`);
  for (const status of [408, 429]) assert.ok(retryWaitMs({ ...UNAVAILABLE, status }, once), `${status}`);
});

// A webhook that continues with later events would skip more of them.
test("only updateOrder, updateWebhook, acceptInvitation and a PATCH with ifMatch must not run twice", () => {
  const listSingle = (hasIfMatch: boolean) =>
    Object.entries(OPERATIONS)
      .filter(([name, operation]) => !canRepeat(name, operation, hasIfMatch))
      .map(([name]) => name);
  assert.deepEqual(listSingle(false), ["updateOrder", "updateWebhook", "acceptInvitation"]);
  const withIfMatch = `updatePet updateProfile orderPhotos updatePhoto updateOrder updateShelter updateSite updateWebhook
    updateKey updatePerson acceptInvitation`;
  assert.deepEqual(listSingle(true), withIfMatch.split(/\s+/));
});

test("too many streams are no limit for the other calls of a client", () => {
  const refused = { status: 429, retryAfter: 30 };
  assert.equal(isLimit({ ...refused, code: "too_many_streams" }), false);
  assert.equal(isLimit({ ...refused, code: "rate_limit_exceeded" }), true);
});
