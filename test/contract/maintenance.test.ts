// Periodic maintenance: its timer runs every job, a failing job does not stop the others, and stop() waits.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { EventStore } from "../../src/domain/event.ts";
import type { IdempotencyStore } from "../../src/domain/idempotency.ts";
import type { OrderStore } from "../../src/domain/order.ts";
import { startMaintenance } from "../../src/maintenance.ts";
import { createClock } from "../harness/app.ts";

/** The documented limit: an order expires within a minute of its time. */
const REQUIRED_WITHIN_MS = 60_000;
const EVERY_MS = 15_000;

type Step = () => Promise<number>;

/** Maintenance of two stores whose jobs do these steps, with the timer under the control of the test. */
function start(
  t: TestContext,
  {
    expire,
    forget,
    forgetEvents = async () => 0,
    forgetImages = async () => 0,
    forgetUsage = async () => 0,
    eventsKeptMs = 0,
    index = async () => 0,
    onError = assert.ifError,
  }: {
    expire: Step;
    forget: Step;
    forgetEvents?: EventStore["forget"];
    forgetImages?: Step;
    forgetUsage?: Step;
    eventsKeptMs?: number;
    index?: Step;
    onError?: (e: unknown) => void;
  },
) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const orders = { expire } as unknown as OrderStore;
  const idempotency = { forget } as unknown as IdempotencyStore;
  const events = { forget: forgetEvents } as unknown as EventStore;
  const dispatch = { forget: async () => 0 };
  const photos = { forget: forgetImages };
  const texts = { index };
  const usageCounts = { forget: forgetUsage };
  return startMaintenance({
    ...{ orders, idempotency, events, eventsKeptMs, dispatch, photos, texts, usageCounts },
    clock: createClock(1_000),
    onError,
  });
}

/** A job with this many steps to do. */
function createJob(steps: number) {
  const job = { left: steps, step: async () => (job.left > 0 ? job.left-- : 0) };
  return job;
}

test("the timer runs every job to its end within a minute, again and again", async (t) => {
  const [expire, forget, images, usage] = [createJob(3), createJob(3), createJob(3), createJob(3)];
  const maintenance = start(t, {
    expire: expire.step,
    forget: forget.step,
    forgetImages: images.step,
    forgetUsage: usage.step,
  });
  for (const steps of [3, 2]) {
    expire.left = steps;
    t.mock.timers.tick(REQUIRED_WITHIN_MS);
    await nextTick();
    assert.deepEqual([expire.left, forget.left, images.left, usage.left], [0, 0, 0, 0]);
  }
  expire.left = 1;
  await maintenance.stop();
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  await nextTick();
  assert.equal(expire.left, 1, "nothing starts after stop()");
});

test("events are deleted in steps when they are older than they are kept, and never otherwise", async (t) => {
  const asked: number[] = [];
  const steps = { expire: async () => 0, forget: async () => 0 };
  const forgetEvents = async (beforeMs: number) => (asked.push(beforeMs) < 3 ? 1 : 0);
  for (const eventsKeptMs of [0, 400]) {
    const maintenance = start(t, { ...steps, forgetEvents, eventsKeptMs });
    await maintenance.run();
    await maintenance.stop();
    t.mock.timers.reset();
  }
  assert.deepEqual(asked, [600, 600, 600]);
});

test("a failing job does not stop the other, and its error is reported", async (t) => {
  const errors: unknown[] = [];
  const forget = createJob(2);
  const fail = () => Promise.reject(new Error("disk full"));
  const maintenance = start(t, {
    expire: fail,
    forget: forget.step,
    onError: (error) => errors.push(error),
  });
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  await nextTick();
  assert.match(String(errors[0]), /disk full/);
  assert.equal(forget.left, 0);
  await maintenance.stop();
});

test("stop() waits for the running step and starts no further one", async (t) => {
  const { promise: step, resolve: endStep } = Promise.withResolvers<number>();
  let steps = 0;
  const expire = () => {
    steps += 1;
    return step;
  };
  const maintenance = start(t, { expire, forget: async () => 0 });
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  assert.equal(steps, 1);
  let hasStopped = false;
  const stopped = maintenance.stop().then(() => {
    hasStopped = true;
  });
  await nextTick();
  assert.equal(hasStopped, false);
  endStep(50);
  await stopped;
  assert.equal(steps, 1);
});

test("of failures in a row the first is reported, and again after a success", async (t) => {
  const errors: unknown[] = [];
  const outcomes = [true, true, false, true].map((isFailed) => async () => {
    if (isFailed) throw new Error("disk full");
    return 0;
  });
  const expire = () => (outcomes.shift() as Step)();
  const maintenance = start(t, { expire, forget: async () => 0, onError: (error) => errors.push(error) });
  for (const reported of [1, 1, 1, 2]) {
    t.mock.timers.tick(EVERY_MS);
    await nextTick();
    assert.equal(errors.length, reported);
  }
  await maintenance.stop();
});
