// Waiting for changes: one question at a time for everyone who waits, and none while nobody does.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createChangeSignal } from "../../../src/tools/change-signal.ts";

const LONG_MS = 60_000;
const NEVER = new AbortController().signal;

/** A history whose newest number the test sets. Its reads are counted. */
function start(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const history = { newest: 0, reads: 0, isAway: false };
  const signal = createChangeSignal(async () => {
    history.reads += 1;
    if (history.isAway) throw new Error("away");
    return history.newest;
  });
  const woken: string[] = [];
  return {
    signal,
    history,
    woken,
    wait(name: string, number: number, { waitMs = LONG_MS, until = NEVER } = {}) {
      void signal.wait(BigInt(number), waitMs, until).then(() => woken.push(name));
    },
    async pass(ms: number) {
      t.mock.timers.tick(ms);
      await yieldToEventLoop();
    },
  };
}

test("asks once in 250 ms for all who wait, and not at all when nobody waits", async (t) => {
  const { history, wait, pass, woken } = start(t);
  await pass(10_000);
  assert.equal(history.reads, 0);
  for (let each = 0; each < 100; each++) wait("reader", 0);
  await pass(249);
  assert.equal(history.reads, 0);
  await pass(1);
  assert.equal(history.reads, 1);
  for (let each = 0; each < 4; each++) await pass(250);
  assert.deepEqual([history.reads, woken.length], [5, 0]);
  history.newest = 1;
  await pass(250);
  assert.deepEqual([history.reads, woken.length], [6, 100]);
  await pass(10_000);
  assert.equal(history.reads, 6, "nobody waits any more");
});

test("a change of this node wakes those who do not have it, without a question", async (t) => {
  const { signal, history, wait, pass, woken } = start(t);
  wait("behind", 4);
  wait("ahead", 5);
  signal.note(5);
  await pass(0);
  assert.deepEqual([woken, history.reads], [["behind"], 0]);
  wait("late", 4);
  await pass(0);
  assert.deepEqual(woken, ["behind", "late"], "a change from before the wait");
});

test("a wait ends after its time, with its signal, and with the service", async (t) => {
  const { signal, wait, pass, woken } = start(t);
  const gone = new AbortController();
  wait("short", 0, { waitMs: 100 });
  wait("gone", 0, { until: gone.signal });
  wait("patient", 0);
  await pass(100);
  assert.deepEqual(woken, ["short"]);
  gone.abort();
  await pass(0);
  assert.deepEqual(woken, ["short", "gone"]);
  signal.end();
  wait("too late", 0);
  await pass(0);
  assert.deepEqual(woken, ["short", "gone", "patient", "too late"]);
});

test("a wait that has ended leaves no listener on its signal", async (t) => {
  const { signal, wait, pass } = start(t);
  const { signal: until } = new AbortController();
  wait("short", 0, { waitMs: 100, until });
  wait("woken", 0, { until });
  assert.equal(getEventListeners(until, "abort").length, 2);
  await pass(100);
  signal.note(1);
  wait("late", 0, { until });
  await pass(0);
  assert.equal(getEventListeners(until, "abort").length, 0);
});

test("a history that was set back wakes everyone", async (t) => {
  const { signal, history, wait, pass, woken } = start(t);
  signal.note(9);
  history.newest = 7;
  wait("reader", 9);
  await pass(250);
  assert.deepEqual(woken, ["reader"]);
});

test("asks again while the history does not answer", async (t) => {
  const { history, wait, pass, woken } = start(t);
  history.isAway = true;
  wait("reader", 0);
  await pass(250);
  await pass(250);
  assert.deepEqual([history.reads, woken], [2, []]);
  Object.assign(history, { isAway: false, newest: 1 });
  await pass(250);
  assert.deepEqual(woken, ["reader"]);
});
