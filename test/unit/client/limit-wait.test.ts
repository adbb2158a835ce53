// The wait for a limit that calls of a client share: which limit is known, and who has a slot afterwards.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { RateLimitError } from "../../../client/src/client.ts";
import { createLimitWait } from "../../../client/src/limit-wait.ts";

const SLOTS = 6;

function limitOf(retryAfter: number): RateLimitError {
  return new RateLimitError({
    code: "rate_limit_exceeded",
    message: "Later.",
    operation: "listPets",
    requestId: "r",
    status: 429,
    retryAfter,
  });
}

test("refusals of the same moment are one limit, a later end is another one", () => {
  const limits = createLimitWait();
  limits.record(limitOf(30), 1_000);
  const known = limits.current(1_000);
  // Retry-After is in whole seconds.
  limits.record(limitOf(30), 1_900);
  assert.equal(limits.current(1_900), known);
  limits.record(limitOf(60), 2_000);
  const later = limits.current(2_000);
  assert.equal(later?.endMs, 62_000);
  // A call that waited for the first limit does not lift the second.
  if (known !== undefined) limits.lift(known);
  assert.equal(limits.current(2_000), later);
});

test("a limit ends at its time, and when the clock was set back before its start", () => {
  const limits = createLimitWait();
  limits.record(limitOf(30), 10_000);
  assert.ok(limits.current(39_999));
  assert.equal(limits.current(40_000), undefined);
  limits.record(limitOf(30), 10_000);
  assert.equal(limits.current(9_999), undefined);
});

test("a call that is ended in the queue leaves its place to the others, and no listener", {
  timeout: 10_000,
}, async () => {
  const { takeSlot } = createLimitWait();
  const taken = await Promise.all(Array.from({ length: SLOTS }, () => takeSlot(undefined)));
  const ending = new AbortController();
  const { signal } = new AbortController();
  const ended = Array.from({ length: SLOTS }, () => takeSlot(ending.signal));
  const last = takeSlot(signal);
  ending.abort(new Error("enough"));
  for (const each of ended) await assert.rejects(each, /enough/);
  for (const release of taken) release();
  (await last)();
  assert.deepEqual([getEventListeners(signal, "abort").length], [0]);
  // All slots are free again.
  await Promise.all(Array.from({ length: SLOTS }, () => takeSlot(undefined)));
});
