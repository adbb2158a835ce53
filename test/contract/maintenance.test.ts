// Periodic maintenance: its timer runs every job, a failing job does not stop the others, and stop() waits.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { startMaintenance } from "../../src/service/maintenance.ts";
import { createClock } from "../harness/servers/app.ts";

/** The documented limit: an order expires within a minute of its time. */
const REQUIRED_WITHIN_MS = 60_000;
const EVERY_MS = 15_000;

type Step = (atMs: number) => Promise<number>;
type Options = Parameters<typeof startMaintenance>[0];

const nothing: Step = async () => 0;

/** Every job, by the name of its store. */
const JOBS = [
  "orders",
  "idempotency",
  "events",
  "dispatch",
  "photos",
  "invitations",
  "usageCounts",
  "texts",
] as const;
type JobName = (typeof JOBS)[number];
/** Jobs that a test does not name have nothing to do. */
type Steps = Partial<Record<JobName, Step>>;

/** Maintenance of stores whose jobs do these steps, with the timer under the control of the test. */
function start(
  t: TestContext,
  steps: Steps,
  {
    eventsKeptMs = 0,
    onError = assert.ifError,
  }: { eventsKeptMs?: number; onError?: (e: unknown) => void } = {},
) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const forget = (name: JobName) => ({ forget: steps[name] ?? nothing });
  return startMaintenance({
    orders: { expire: steps.orders ?? nothing } as Options["orders"],
    idempotency: forget("idempotency") as Options["idempotency"],
    events: forget("events") as Options["events"],
    dispatch: forget("dispatch"),
    photos: forget("photos"),
    invitations: forget("invitations"),
    usageCounts: forget("usageCounts"),
    texts: { maintain: (steps.texts ?? nothing) as Options["texts"]["maintain"] },
    eventsKeptMs,
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
  const jobs = JOBS.map((name) => ({ name, job: createJob(0) }));
  const steps = Object.fromEntries(jobs.map(({ name, job }) => [name, job.step]));
  const maintenance = start(t, steps, { eventsKeptMs: 400 });
  const setAll = (left: number) => {
    for (const { job } of jobs) job.left = left;
  };
  const listLeft = () => jobs.filter(({ job }) => job.left > 0).map(({ name }) => name);
  for (const count of [3, 2]) {
    setAll(count);
    t.mock.timers.tick(REQUIRED_WITHIN_MS);
    await yieldToEventLoop();
    assert.deepEqual(listLeft(), [], "jobs with steps left");
  }
  setAll(1);
  await maintenance.stop();
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  await yieldToEventLoop();
  assert.deepEqual(listLeft(), JOBS, "nothing starts after stop()");
});

test("events are deleted in steps when they are older than they are kept, and never otherwise", async (t) => {
  const asked: number[] = [];
  const forgetEvents: Step = async (beforeMs) => (asked.push(beforeMs) < 3 ? 1 : 0);
  for (const eventsKeptMs of [0, 400]) {
    const maintenance = start(t, { events: forgetEvents }, { eventsKeptMs });
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
  const steps = { orders: fail, idempotency: forget.step };
  const maintenance = start(t, steps, { onError: (error) => errors.push(error) });
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  await yieldToEventLoop();
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
  const maintenance = start(t, { orders: expire });
  t.mock.timers.tick(REQUIRED_WITHIN_MS);
  assert.equal(steps, 1);
  let hasStopped = false;
  const stopped = maintenance.stop().then(() => {
    hasStopped = true;
  });
  await yieldToEventLoop();
  assert.equal(hasStopped, false);
  endStep(50);
  await stopped;
  assert.equal(steps, 1);
});

test("only the first of several failures in a row is reported, and again after a success", async (t) => {
  const errors: unknown[] = [];
  const outcomes = [true, true, false, true].map((isFailed) => async () => {
    if (isFailed) throw new Error("disk full");
    return 0;
  });
  const expire = () => (outcomes.shift() as () => Promise<number>)();
  const maintenance = start(t, { orders: expire }, { onError: (error) => errors.push(error) });
  for (const reported of [1, 1, 1, 2]) {
    t.mock.timers.tick(EVERY_MS);
    await yieldToEventLoop();
    assert.equal(errors.length, reported);
  }
  await maintenance.stop();
});
